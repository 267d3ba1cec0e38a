package io.argosy.node.runtime.oci;

import io.argosy.api.time.Clock;
import io.argosy.node.files.MountCalls;
import io.argosy.node.files.Trees;
import io.argosy.node.runtime.LinuxResources;
import io.argosy.node.runtime.RuntimeFailure;
import io.argosy.node.runtime.Sandbox;
import io.argosy.node.runtime.SandboxSpec;
import io.argosy.node.runtime.SandboxSpec.DnsConfig;
import io.argosy.node.runtime.oci.SandboxRecord.Phase;
import io.argosy.node.runtime.oci.SandboxRecord.ProcessMark;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.SecureRandom;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes and unmakes the shared surroundings of pods; the caller sees to it that nobody else touches the same one. */
final class Sandboxes {
    private static final Logger LOG = LoggerFactory.getLogger(Sandboxes.class);
    private static final SecureRandom RANDOM = new SecureRandom();
    private static final Path HOST_RESOLVER = Path.of("/etc/resolv.conf");
    private static final String SHM_OPTIONS = "mode=1777,size=67108864";

    private final OciConfig config;
    private final Clock clock;
    private final Ledger<SandboxRecord> records;
    private final PodNetwork network;
    private final Cgroups cgroups;
    private final SharedGroups shared;
    private final Runc runc;
    private final String boot;

    Sandboxes(OciConfig config, Clock clock, PodNetwork network, Cgroups cgroups, Runc runc) throws IOException {
        this.config = config;
        this.clock = clock;
        this.network = network;
        this.cgroups = cgroups;
        this.shared = new SharedGroups(cgroups, config.cgroupParent());
        this.runc = runc;
        this.records = new Ledger<>(config.sandboxes(), SandboxRecord::id, SandboxRecord::toJson);
        this.boot = Files.readString(Path.of("/proc/sys/kernel/random/boot_id")).strip();
    }

    /** 64 hexadecimal digits, as tools that read control group names expect. */
    static String newId() {
        byte[] bytes = new byte[32];
        RANDOM.nextBytes(bytes);
        return HexFormat.of().formatHex(bytes);
    }

    List<String> load() throws IOException {
        List<String> strays = records.load(SandboxRecord::fromJson);
        shared.weigh(records.all().stream().map(SandboxRecord::cgroup).toList());
        return strays;
    }

    Collection<SandboxRecord> all() {
        return records.all();
    }

    Optional<SandboxRecord> get(String id) {
        return records.get(id);
    }

    /** What the sandbox holds of the host, and files that its containers see. */
    Path folder(String id) {
        return config.holds().resolve(id);
    }

    Optional<SandboxRecord> readyFor(String podUid, int attempt) {
        return records.all().stream()
                .filter(found -> found.pod().uid().equals(podUid) && found.pod().attempt() == attempt)
                .filter(this::ready)
                .findFirst();
    }

    boolean ready(SandboxRecord found) {
        return found.phase() == Phase.READY
                && found.boot().equals(boot)
                && found.pause().map(ProcessMark::alive).orElse(true);
    }

    Sandbox describe(SandboxRecord found) {
        return new Sandbox(
                found.id(),
                found.pod(),
                ready(found) ? Sandbox.State.READY : Sandbox.State.NOT_READY,
                found.addresses(),
                found.namespaces().hostNetwork(),
                found.namespaces().users(),
                found.createdAt(),
                found.labels());
    }

    SandboxRecord create(SandboxSpec spec) throws IOException {
        String hostname = spec.hostname().isEmpty() || spec.namespaces().hostNetwork()
                ? Files.readString(Path.of("/proc/sys/kernel/hostname")).strip()
                : spec.hostname();
        SandboxRecord record = new SandboxRecord(
                newId(),
                spec.pod(),
                Phase.CREATING,
                boot,
                hostname,
                spec.logDirectory().toAbsolutePath(),
                spec.namespaces(),
                config.cgroupParent() + "/"
                        + spec.cgroupParent().orElse("pod" + spec.pod().uid()),
                spec.ports(),
                List.of(),
                Optional.empty(),
                spec.privileged(),
                clock.now(),
                spec.labels());
        records.put(record);
        try {
            return build(record, spec);
        } catch (IOException | RuntimeException e) {
            try {
                remove(record);
            } catch (IOException | RuntimeException second) {
                e.addSuppressed(second);
            }
            throw e;
        }
    }

    private SandboxRecord build(SandboxRecord record, SandboxSpec spec) throws IOException {
        long begin = System.nanoTime();
        Path folder = Files.createDirectories(folder(record.id()));
        boolean ownNetwork = !spec.namespaces().hostNetwork();
        boolean ownIpc = !spec.namespaces().hostIpc();
        Files.createDirectories(spec.logDirectory());
        if (ownIpc) {
            Path shm = Files.createDirectories(folder.resolve("shm"));
            String owner = spec.namespaces()
                    .users()
                    .map(users -> ",uid=" + users.first() + ",gid=" + users.first())
                    .orElse("");
            MountCalls.mount(
                    "shm", shm, "tmpfs", MountCalls.NOSUID | MountCalls.NODEV | MountCalls.NOEXEC, SHM_OPTIONS + owner);
        }
        PodNamespaces namespaces = new PodNamespaces(folder);
        if (ownNetwork || ownIpc) {
            namespaces.create(spec.namespaces(), record.hostname(), spec.sysctls());
        }
        long namespaced = System.nanoTime();
        if (!spec.resources().equals(LinuxResources.NONE)) {
            limit(record, spec.resources());
        }
        List<String> addresses = ownNetwork ? network.add(record.id(), namespaces.network(), spec.ports()) : List.of();
        long connected = System.nanoTime();
        writeFiles(folder, record, spec.dns(), addresses);
        Optional<ProcessMark> pause =
                spec.namespaces().shareProcesses() && !spec.namespaces().hostPid()
                        ? Optional.of(PauseProgram.start(runc, record, folder))
                        : Optional.empty();
        SandboxRecord ready = record.ready(addresses, pause);
        records.put(ready);
        LOG.debug(
                "sandbox {} of {}/{}: namespaces {} ms, network {} ms, in all {} ms",
                record.id(),
                record.pod().namespace(),
                record.pod().name(),
                TimeUnit.NANOSECONDS.toMillis(namespaced - begin),
                TimeUnit.NANOSECONDS.toMillis(connected - namespaced),
                TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin));
        return ready;
    }

    /** Gives the pod as a whole these limits, and the class it belongs to its share. */
    void limit(SandboxRecord record, LinuxResources limits) throws IOException {
        cgroups.create(record.cgroup(), limits);
        shared.weigh(record.cgroup());
    }

    private static void writeFiles(Path folder, SandboxRecord record, Optional<DnsConfig> dns, List<String> addresses)
            throws IOException {
        write(folder.resolve("hostname"), record.hostname() + "\n");
        write(folder.resolve("hosts"), hosts(record, addresses));
        write(
                folder.resolve("resolv.conf"),
                dns.isPresent()
                        ? resolver(dns.get())
                        : Files.exists(HOST_RESOLVER) ? Files.readString(HOST_RESOLVER) : "");
    }

    private static String hosts(SandboxRecord record, List<String> addresses) throws IOException {
        Path host = Path.of("/etc/hosts");
        if (record.namespaces().hostNetwork()) {
            return Files.exists(host) ? Files.readString(host) : "127.0.0.1\tlocalhost\n";
        }
        StringBuilder text = new StringBuilder("""
            127.0.0.1\tlocalhost
            ::1\tlocalhost ip6-localhost ip6-loopback
            fe00::0\tip6-localnet
            fe00::0\tip6-mcastprefix
            fe00::1\tip6-allnodes
            fe00::2\tip6-allrouters
            """);
        addresses.forEach(address ->
                text.append(address).append('\t').append(record.hostname()).append('\n'));
        return text.toString();
    }

    private static String resolver(DnsConfig dns) {
        StringBuilder text = new StringBuilder();
        if (!dns.searches().isEmpty()) {
            text.append("search ").append(String.join(" ", dns.searches())).append('\n');
        }
        dns.servers()
                .forEach(server -> text.append("nameserver ").append(server).append('\n'));
        if (!dns.options().isEmpty()) {
            text.append("options ").append(String.join(" ", dns.options())).append('\n');
        }
        return text.toString();
    }

    private static void write(Path file, String text) throws IOException {
        Files.writeString(file, text, StandardCharsets.UTF_8);
        Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rw-r--r--"));
    }

    /** Gives back what the sandbox holds of the host; its containers must have ended. */
    SandboxRecord stop(SandboxRecord record) throws IOException {
        if (record.phase() != Phase.STOPPED) {
            release(record);
            SandboxRecord stopped = record.phase() == Phase.READY ? record.withPhase(Phase.STOPPED) : record;
            records.put(stopped);
            return stopped;
        }
        return record;
    }

    private void release(SandboxRecord record) throws IOException {
        Path folder = folder(record.id());
        runc.delete(record.id());
        PodNamespaces namespaces = new PodNamespaces(folder);
        if (!record.namespaces().hostNetwork()) {
            network.remove(record.id(), namespaces.network(), record.ports());
        }
        namespaces.remove();
        RootFilesystem.remove(folder);
        MountCalls.unmountIfMounted(folder.resolve("shm"));
    }

    /** Removes the sandbox and its files; its containers must have been removed. */
    void remove(SandboxRecord record) throws IOException {
        SandboxRecord leaving = record.withPhase(Phase.REMOVING);
        records.put(leaving);
        if (record.phase() != Phase.STOPPED) {
            release(leaving);
        }
        boolean lastOfPod = records.all().stream()
                .noneMatch(other ->
                        !other.id().equals(record.id()) && other.cgroup().equals(record.cgroup()));
        if (lastOfPod) {
            cgroups.remove(record.cgroup());
            shared.weigh(record.cgroup());
        }
        Trees.delete(folder(record.id()));
        records.remove(record.id());
    }

    /** Removes a folder that was made before its record was written, which comes first: there can be nothing in it. */
    void removeUnrecorded(String id) throws IOException {
        MountCalls.unmountIfMounted(folder(id).resolve("shm"));
        new PodNamespaces(folder(id)).remove();
        runc.delete(id);
        RootFilesystem.remove(folder(id));
        Trees.delete(folder(id));
        records.remove(id);
    }

    SandboxRecord require(String id) {
        return records.get(id).orElseThrow(() -> new RuntimeFailure(RuntimeFailure.Kind.NOT_FOUND, "no sandbox " + id));
    }
}
