"""What the pretended cloud does: starts, stops, collections, destroys, and the two races in them."""

from __future__ import annotations

from bench.cloud import Cloud, Network, Vm, Who
from bench.steps import (
    JOBS,
    MACHINES,
    NETWORKS,
    Script,
    Threads,
    Truth,
    Work,
    begin_api_job,
    begin_work_job,
    count_nics,
    end_api_job,
    end_work_job,
    run_work,
    start_command,
    stop,
    transition,
)

PROXIES = "c.c.c.ConsoleProxyManagerImpl"


def start_vm(cloud: Cloud, threads: Threads, network: Network, vm: Vm, *, raced: bool = False) -> Script:
    """Start `vm`, and implement `network` first where it is not; `raced`: the orphan cleanup strikes meanwhile."""
    script = Script(cloud, "vm-start")
    if raced:
        script.truth = Truth("network-cleaned-up-while-implementing", f"network:{network.id}", "failed")
    name = "user.vm.StartVMCmd"
    parent, api = begin_api_job(script, threads, "startVirtualMachine", name, vm)
    at, work = begin_work_job(script, threads.work, 60, parent, api, "Start", vm)
    inner, shown = work.inner, cloud.show_vm(vm, "Starting")
    place = cloud.show_destination(vm.host, vm.id + 400)
    reservation = cloud.dice.uuid()
    transition(script, at + 20, inner, vm, ("Stopped", "Starting", "StartRequested"), None)
    text = f"Successfully transitioned to start state for {shown} reservation id = {reservation}"
    script.say(at + 22, inner, MACHINES, text)
    script.say(at + 260, inner, MACHINES, f"Deployment found - Attempt #1 - P0={shown}, P0={place}")
    at += 280
    if network.implemented:
        subject = f"id={network.id}" if cloud.old else cloud.show_network(network)
        script.say(at, inner, NETWORKS, f"Network {subject} is already implemented")
    else:
        at = _implement(script, at, inner, network, raced)
        network.implemented = not raced
    count_nics(script, at + 5, inner, network, 1)
    script.say(at + 7, inner, NETWORKS, f"Asking VirtualRouter to prepare for {_nic(cloud, vm, reservation)}")
    at += 17
    if raced:
        at = _fail_start(script, at, work, network)
    else:
        at = start_command(script, at, inner, network, vm, cloud.dice.between(900, 9000))
        transition(script, at + 30, inner, vm, ("Starting", "Running", "OperationSucceeded"), vm.host)
        script.say(at + 34, inner, MACHINES, f"Start completed for VM {cloud.show_vm(vm, 'Running')}")
        at = end_work_job(script, at + 40, work)
        vm.running = True
    end_api_job(script, at, api, name, parent, failed=raced)
    return script


def stop_vm(cloud: Cloud, threads: Threads, network: Network, vm: Vm) -> Script:
    """Stop `vm`."""
    script = Script(cloud, "vm-stop")
    name = "user.vm.StopVMCmd"
    parent, api = begin_api_job(script, threads, "stopVirtualMachine", name, vm)
    at, work = begin_work_job(script, threads.work, 60, parent, api, "Stop", vm)
    at = stop(script, at, work.inner, vm)
    count_nics(script, at + 3, work.inner, network, -1)
    at = end_work_job(script, at + 10, work)
    end_api_job(script, at, api, name, parent)
    return script


def collect_network(cloud: Cloud, threads: Threads, network: Network) -> Script:
    """Shut a network down in which nothing runs any more, as the garbage collection does."""
    script = Script(cloud, "network-shutdown")
    who = cloud.run("Network-Scavenger-1")
    shown, router = cloud.show_network(network), network.router
    subject = f"id={network.id}" if cloud.old else shown
    text = "NetworkGarbageCollector uses '600' seconds for GC interval."
    script.say(0, who, f"{NETWORKS}$NetworkGarbageCollector", text, level="INFO")
    script.say(13, who, NETWORKS, f"Lock is acquired for network {shown} as a part of network shutdown")
    script.say(21, who, NETWORKS, "Sending network shutdown to VirtualRouter")
    text = f"Stopping router {cloud.show_vm(router, 'Running')}"
    script.say(30, who, "c.c.n.r.VirtualNetworkApplianceManagerImpl", text)
    at, work = begin_work_job(script, threads.work, 52, cloud.job(), who, "Stop", router)
    at = stop(script, at, work.inner, router)
    at = end_work_job(script, at + 10, work) + 260
    text = f"Network {subject} is shutdown successfully, cleaning up corresponding resources now."
    script.say(at, who, NETWORKS, text)
    script.say(at + 17, who, NETWORKS, f"Lock is released for network {shown} as a part of network shutdown")
    network.implemented = False
    return script


def destroy_proxy(cloud: Cloud, threads: Threads, order: str) -> Script:
    """Destroy a console proxy. `order`: `quiet`, or the scanner starts it and the `destroy` or the `restart` wins."""
    script = Script(cloud, "proxy-destroy")
    proxy = cloud.vm("ConsoleProxy", running=True)
    if order != "quiet":
        outcome = "failed" if order == "restart" else "recovered"
        script.truth = Truth("console-proxy-restarted-while-destroying", f"vm:{proxy.id}", outcome)
    name = "admin.systemvm.DestroySystemVmCmd"
    parent, api = begin_api_job(script, threads, "destroySystemVm", name, proxy)
    at, work = begin_work_job(script, threads.work, 60, parent, api, "Stop", proxy)
    at = stop(script, at, work.inner, proxy, part="open")
    scanner = cloud.run("consoleproxy-1")
    origin, job = cloud.job(), cloud.job()
    starter = cloud.run(f"Work-Job-Executor-{threads.other}", f"job-{origin}/job-{job}")
    if order == "destroy":
        _find_stopped(script, at + 220, scanner, proxy, job)
        at += 3000
    at = end_work_job(script, at + 10, work)
    if order == "restart":
        _find_stopped(script, at + 60, scanner, proxy, job)
        run_work(script, at + 1100, starter, "Start", proxy, origin)
        inner = cloud.deeper(starter)
        transition(script, at + 1140, inner, proxy, ("Stopped", "Starting", "StartRequested"), None)
        _refuse_expunge(script, at + 2000, api, proxy)
        end_api_job(script, at + 2010, api, name, parent, failed=True)
        transition(script, at + 27900, inner, proxy, ("Starting", "Running", "OperationSucceeded"), proxy.host)
        shown = proxy.name if cloud.old else f"Console {cloud.show_vm(proxy, 'Running')}"
        script.say(at + 28000, scanner, PROXIES, f"Console proxy {shown} is started", level="INFO")
        return script
    transition(script, at + 19, api, proxy, ("Stopped", "Expunging", "ExpungeOperation"), None)
    script.say(at + 25, api, MACHINES, f"Expunging vm {cloud.show_vm(proxy, 'Expunging')}")
    if order == "destroy":
        run_work(script, at + 360, starter, "Start", proxy, origin)
        _fail_scanner(script, at + 398, scanner, cloud.deeper(starter), proxy)
    script.say(at + 1280, api, MACHINES, f"Expunged {cloud.show_vm(proxy, 'Expunging')}", part="close")
    end_api_job(script, at + 1300, api, name, parent)
    return script


def _nic(cloud: Cloud, vm: Vm, reservation: str) -> str:
    uuid = "" if cloud.old else f',"uuid":"{cloud.dice.uuid()}"'
    return (
        f'Nic {{"broadcastUri":null,"deviceId":0,"iPv4Address":"10.1.1.{vm.id % 250 + 2}","id":{vm.id + 1600},'
        f'"instanceId":{vm.id},"reservationId":"{reservation}"{uuid}}}'
    )


def _implement(script: Script, at: int, who: Who, network: Network, raced: bool) -> int:
    """Implement a network under its lock, the start of its router included. Gives the time of the release."""
    cloud = script.cloud
    shown, either, router = cloud.show_network(network), cloud.network_or_id(network), network.router
    text = f"Lock is acquired for network id {either} as a part of network implement"
    script.say(at, who, NETWORKS, text, part="open")
    script.say(at + 4, who, NETWORKS, f"Asking ExternalGuestNetworkGuru to implement {shown}")
    script.say(at + 33, who, NETWORKS, f"Asking VirtualRouter to implement {shown}")
    text = f"Starting router {cloud.show_vm(router, 'Stopped')}"
    script.say(at + 81, who, "c.c.n.r.NetworkHelperImpl", text)
    if raced:
        _strike(script, at + cloud.dice.between(4000, 12000), network)
    at = start_command(script, at + 508, who, network, router, cloud.dice.between(20000, 36000))
    script.say(at + 1340, who, MACHINES, f"Start completed for VM {cloud.show_vm(router, 'Running')}")
    lock = f"id {network.id}" if cloud.old else f"[id: {network.id}] ({shown})"
    place = cloud.show_destination(router.host)
    text = f"Lock is released for network {lock} as a part of router startup in {place}"
    script.say(at + 1356, who, "o.a.c.n.r.d.RouterDeploymentDefinition", text)
    subject = f"id {network.id}" if cloud.old else shown
    text = f"Lock is released for network {subject} as a part of network implement"
    script.say(at + 3124, who, NETWORKS, text, part="close")
    router.running = True
    return at + 3124


def _strike(script: Script, at: int, network: Network) -> None:
    who = script.cloud.run("AsyncJobMgr-Heartbeat-1")
    text = (
        f"Found orphaned network {network.id} in Implementing state without async job. Network created: "
        "2026-10-20T14:32:37, age: 2087 minutes, expiration threshold: 1440 minutes. Transitioning to Shutdown state."
    )
    script.say(at, who, JOBS, text, level="INFO", part="strike")
    text = f"Successfully transitioned orphaned network {network.id} to Shutdown state using state machine"
    script.say(at + 18, who, JOBS, text, level="INFO")


def _fail_start(script: Script, at: int, work: Work, network: Network) -> int:
    cloud, inner, handler = script.cloud, work.inner, "c.c.v.VmWorkJobHandlerProxy"
    error = (
        f"com.cloud.exception.ResourceUnavailableException: Resource [Network:{network.id}] is unreachable: "
        f"Network is not yet fully implemented: {cloud.show_network(network)}"
    )
    tail = cloud.show_exception(
        error,
        "org.apache.cloudstack.network.router.deployment.RouterDeploymentDefinition.checkPreconditions"
        "(RouterDeploymentDefinition.java:282)",
        "com.cloud.network.element.VirtualRouterElement.prepare(VirtualRouterElement.java:288)",
        "java.base/java.lang.Thread.run(Thread.java:840)",
    )
    shown = cloud.show_vm(work.vm, "Starting")
    script.say(at, inner, MACHINES, f"Unable to contact resource.{tail}", level="WARN", part="consequence")
    script.say(at + 13, inner, MACHINES, f"Cleaning up resources for the vm {shown} in Starting state")
    text = f"Successfully cleaned up resources for the VM {shown} in Starting state"
    script.say(at + 340, inner, MACHINES, text)
    count_nics(script, at + 350, inner, network, -1)
    transition(script, at + 362, inner, work.vm, ("Starting", "Stopped", "OperationFailed"), None)
    script.say(at + 366, inner, handler, f"Invocation exception, caused by: {error}", level="ERROR")
    script.say(at + 367, inner, handler, f"Rethrow exception {error}", level="INFO")
    return end_work_job(script, at + 370, work, failed=True)


def _find_stopped(script: Script, at: int, scanner: Who, proxy: Vm, job: int) -> None:
    cloud = script.cloud
    shown = f"Vm id : {proxy.id}" if cloud.old else f"VM: Console {cloud.show_vm(proxy, 'Stopped')}"
    script.say(at, scanner, PROXIES, f"Zone {cloud.show_zone()} is ready to launch console proxy")
    text = f"Found a stopped console proxy, starting it. {shown}"
    script.say(at + 13, scanner, PROXIES, text, level="INFO", part="strike")
    script.say(at + 29, scanner, JOBS, f"Sync job-{job} execution on object VmWorkJobQueue.{proxy.id}")


def _refuse_expunge(script: Script, at: int, api: Who, proxy: Vm) -> None:
    cloud = script.cloud
    shown = cloud.show_vm(proxy, "Starting")
    text = f"Unable to expunge the vm because it is not in the correct state: {shown}"
    script.say(at, api, MACHINES, text, part="consequence")
    tail = cloud.show_exception(
        f"com.cloud.utils.exception.CloudRuntimeException: Unable to expunge {shown}",
        "com.cloud.vm.VirtualMachineManagerImpl.advanceExpunge(VirtualMachineManagerImpl.java:708)",
    )
    name = "org.apache.cloudstack.api.command.admin.systemvm.DestroySystemVmCmd"
    text = f"Unexpected exception while executing {name}{tail}"
    script.say(at + 8, api, "c.c.a.ApiAsyncJobDispatcher", text, level="ERROR", part="close")


def _fail_scanner(script: Script, at: int, scanner: Who, starter: Who, proxy: Vm) -> None:
    cloud = script.cloud
    text = f"Cannot start {cloud.show_vm(proxy, 'Expunging')} in Expunging state"
    script.say(at, starter, MACHINES, text, level="WARN")
    tail = cloud.show_exception(
        "com.cloud.utils.exception.CloudRuntimeException: Unable to start a VM",
        "com.cloud.vm.VirtualMachineManagerImpl.start(VirtualMachineManagerImpl.java:935)",
    )
    why = f"Unable to start a VM [{proxy.uuid}] due to [Cannot start VM in Expunging state]."
    text = f"Unable to start proxy [{proxy.id}] due to [{why}].{tail}"
    script.say(at + 48, scanner, PROXIES, text, level="WARN", part="consequence")
    shown = f"vm id : {proxy.id}" if cloud.old else "vm: null"
    text = f"Unable to start console proxy vm for standby capacity, {shown}, will recycle it and start a new one"
    script.say(at + 50, scanner, PROXIES, text, level="INFO")
