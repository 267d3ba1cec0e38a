package io.argosy.node.runtime.oci;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.node.runtime.oci.SandboxRecord.ProcessMark;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Optional;

/**
 * The first process of a pod whose containers share a process namespace: it does nothing and never ends.
 *
 * <p>Such a namespace dies with its first process, so that must be one that no container brings. An image for it cannot
 * be counted on and no program of the host is sure to run in an empty root, so the program is written here: 40 bytes of
 * machine code in an ELF file. It ignores SIGCHLD, whereby the kernel reaps the orphans that come to it, and pauses.
 */
final class PauseProgram {
    private static final int BASE = 0x400000;
    private static final int HEADERS = 64 + 56;

    private PauseProgram() {}

    /** Starts the process in the pod's other namespaces and returns it. */
    static ProcessMark start(Runc runc, SandboxRecord sandbox, Path folder) throws IOException {
        Path bundle = folder.resolve("pause");
        Optional<RootFilesystem.Users> users = RootFilesystem.Users.of(sandbox, folder);
        Path rootfs = users.isPresent() ? RootFilesystem.reachable(folder) : bundle.resolve("rootfs");
        Files.createDirectories(bundle);
        Files.createDirectories(rootfs);
        if (users.isPresent()) {
            RootFilesystem.own(rootfs, users.get().ids());
        }
        Path program = rootfs.resolve("pause");
        Files.write(program, elf());
        Files.setPosixFilePermissions(program, PosixFilePermissions.fromString("r-xr-xr-x"));
        Json.write(bundle.resolve("config.json"), config(sandbox, folder, rootfs, users));
        Path pidFile = bundle.resolve("pid");
        runc.runUnwatched(sandbox.id(), bundle, pidFile);
        long pid = Long.parseLong(Files.readString(pidFile).strip());
        return new ProcessMark(
                pid, Procs.startTicks(pid).orElseThrow(() -> new IOException("the pod's first process ended at once")));
    }

    private static ObjectNode config(
            SandboxRecord sandbox, Path folder, Path rootfs, Optional<RootFilesystem.Users> users) {
        ObjectNode config = Json.object().put("ociVersion", "1.0.2");
        ObjectNode process = config.putObject("process").put("cwd", "/").put("noNewPrivileges", true);
        process.putObject("user").put("uid", 65535).put("gid", 65535);
        process.set("args", Json.array(List.of("/pause")));
        process.putObject("capabilities");
        config.putObject("root").put("path", rootfs.toString()).put("readonly", true);
        config.putArray("mounts")
                .addObject()
                .put("destination", "/proc")
                .put("type", "proc")
                .put("source", "proc");
        ObjectNode linux = config.putObject("linux").put("cgroupsPath", sandbox.cgroup() + "/" + sandbox.id());
        linux.putObject("resources")
                .putArray("devices")
                .addObject()
                .put("allow", false)
                .put("access", "rwm");
        PodNamespaces pinned = new PodNamespaces(folder);
        var namespaces = linux.putArray("namespaces");
        namespaces.addObject().put("type", "mount");
        namespaces.addObject().put("type", "pid");
        if (!sandbox.namespaces().hostNetwork()) {
            namespaces
                    .addObject()
                    .put("type", "network")
                    .put("path", pinned.network().toString());
        }
        if (!sandbox.namespaces().hostIpc()) {
            namespaces.addObject().put("type", "ipc").put("path", pinned.ipc().toString());
        }
        users.ifPresent(own -> OciUsers.join(linux, own));
        return config;
    }

    private static byte[] elf() {
        boolean arm = System.getProperty("os.arch").equals("aarch64");
        byte[] code = arm ? armCode() : intelCode();
        int size = HEADERS + code.length + 32;
        ByteBuffer file = ByteBuffer.allocate(size).order(ByteOrder.LITTLE_ENDIAN);
        // ELF header: 64 bit, little endian, executable, one program header
        file.put(new byte[] {0x7f, 'E', 'L', 'F', 2, 1, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0});
        file.putShort((short) 2).putShort((short) (arm ? 183 : 62)).putInt(1);
        file.putLong(BASE + HEADERS).putLong(64).putLong(0).putInt(0);
        file.putShort((short) 64).putShort((short) 56).putShort((short) 1);
        file.putShort((short) 64).putShort((short) 0).putShort((short) 0);
        // program header: the whole file, readable and executable
        file.putInt(1)
                .putInt(5)
                .putLong(0)
                .putLong(BASE)
                .putLong(BASE)
                .putLong(size)
                .putLong(size)
                .putLong(0x1000);
        file.put(code);
        // what follows the code is the kernel's struct sigaction: handler SIG_IGN, the rest zero
        file.putLong(1);
        return file.array();
    }

    private static byte[] intelCode() {
        int action = BASE + HEADERS + 40;
        ByteBuffer code = ByteBuffer.allocate(40).order(ByteOrder.LITTLE_ENDIAN);
        code.put(bytes(0xb8)).putInt(13); // mov eax, rt_sigaction
        code.put(bytes(0xbf)).putInt(17); // mov edi, SIGCHLD
        code.put(bytes(0xbe)).putInt(action); // mov esi, action
        code.put(bytes(0x31, 0xd2)); // xor edx, edx
        code.put(bytes(0x41, 0xba)).putInt(8); // mov r10d, 8
        code.put(bytes(0x0f, 0x05)); // syscall
        code.put(bytes(0xb8)).putInt(34); // loop: mov eax, pause
        code.put(bytes(0x0f, 0x05)); // syscall
        code.put(bytes(0xeb, 0xf7)); // jmp loop
        code.put(bytes(0x90, 0x90, 0x90, 0x90, 0x90, 0x90)); // nop: the action stands on a multiple of 8
        return code.array();
    }

    private static byte[] armCode() {
        ByteBuffer code = ByteBuffer.allocate(56).order(ByteOrder.LITTLE_ENDIAN);
        code.putInt(0xd28010c8); // mov x8, rt_sigaction
        code.putInt(0xd2800220); // mov x0, SIGCHLD
        code.putInt(0x10000181); // adr x1, action
        code.putInt(0xd2800002); // mov x2, 0
        code.putInt(0xd2800103); // mov x3, 8
        code.putInt(0xd4000001); // svc 0
        code.putInt(0xd2800000); // loop: mov x0, 0
        code.putInt(0xd2800001); // mov x1, 0
        code.putInt(0xd2800002); // mov x2, 0
        code.putInt(0xd2800003); // mov x3, 0
        code.putInt(0xd2800928); // mov x8, ppoll, which waits for nothing, for ever
        code.putInt(0xd4000001); // svc 0
        code.putInt(0x17fffffa); // b loop
        code.putInt(0xd503201f); // nop: the action stands on a multiple of 8
        return code.array();
    }

    private static byte[] bytes(int... values) {
        byte[] array = new byte[values.length];
        for (int i = 0; i < values.length; i++) {
            array[i] = (byte) values[i];
        }
        return array;
    }
}
