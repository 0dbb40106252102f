"""The grammar language: from `*.lsg` files to a checked catalog of declarations."""
