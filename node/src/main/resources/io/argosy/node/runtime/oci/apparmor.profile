# What confines containers that name no AppArmor profile of their own: they may do all that their capabilities and mounts
# allow, but mount nothing, touch no other confinement's processes, and not write to the kernel through /proc and /sys.
profile argosy-default flags=(attach_disconnected,mediate_deleted) {
  capability,
  file,
  network,
  unix,
  umount,

  signal (receive) peer=unconfined,
  signal (receive) peer=runc,
  signal (receive, send) peer=argosy-default,
  ptrace (read, readby, trace, tracedby) peer=argosy-default,

  deny mount,

  deny /proc/{kcore,keys,kmem,mem,sysrq-trigger} rwklx,
  deny /proc/{acpi,asound,bus,driver,fs,irq,scsi,sys,tty}/** wklx,

  deny /sys/{block,bus,class,dev,devices,hypervisor,module,power}/** wklx,
  deny /sys/firmware/** rwklx,
  deny /sys/kernel/security/** rwklx,
  deny /sys/kernel/** wklx,
  deny /sys/fs/{bpf,ext4,fuse,pstore,selinux,smackfs,xfs}/** wklx,
}
