"""What the output formats share: words, times, safe text, drawings."""
