package io.argosy.operators;

import io.argosy.operators.etcd.Endpoint;
import io.argosy.operators.etcd.Etcd;
import io.argosy.operators.etcd.EtcdException;
import io.argosy.operators.etcd.JetcdEtcd;
import io.argosy.operators.resource.Names;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Runs real etcd for the pods of simulated nodes, with the pods' own flags: each member has an address of the loopback network in place of its
 * pod's and its name's, and a folder in place of its volume.
 */
public final class RealEtcd implements Etcd, AutoCloseable {
    private static final Pattern HOST = Pattern.compile("([a-z0-9-]+)\\.[a-z0-9-]+\\.[a-z0-9-]+\\.svc");

    private final Etcd etcd = new JetcdEtcd();
    private final KubernetesClient client;
    private final Path folder;
    private final String network;
    private final Map<String, Process> processes = new HashMap<>();
    private final Map<String, Integer> numbers = new HashMap<>();

    /** The network is the first three numbers of the addresses, which begin with 127. */
    public RealEtcd(KubernetesClient client, Path folder, String network) {
        this.client = client;
        this.folder = folder;
        this.network = network;
    }

    /** Brings what runs in line with the pods; a disk whose claim is gone is gone. */
    public synchronized void play() {
        Map<String, Pod> pods =
                client.pods().inNamespace("default").withLabel(Names.MEMBER_LABEL).list().getItems().stream()
                        .filter(pod -> pod.getStatus() != null
                                && "Running".equals(pod.getStatus().getPhase())
                                && pod.getMetadata().getDeletionTimestamp() == null)
                        .collect(Collectors.toMap(pod -> pod.getMetadata().getUid(), pod -> pod));
        for (String uid : Set.copyOf(processes.keySet())) {
            if (!pods.containsKey(uid)) {
                processes.remove(uid).destroyForcibly().onExit().join();
            }
        }
        pods.forEach((uid, pod) -> processes.computeIfAbsent(uid, started -> start(pod)));
    }

    private Process start(Pod pod) {
        String name = pod.getMetadata().getName();
        String disk = client.persistentVolumeClaims()
                .inNamespace("default")
                .withName(name)
                .get()
                .getMetadata()
                .getUid();
        List<String> command = pod.getSpec().getContainers().getFirst().getCommand().stream()
                .map(word -> word.startsWith("--data-dir=") ? "--data-dir=" + folder.resolve(disk) : word)
                .map(word -> there(word.replace("0.0.0.0", address(name))))
                .toList();
        try {
            Files.createDirectories(folder);
            return new ProcessBuilder(command)
                    .redirectErrorStream(true)
                    .redirectOutput(folder.resolve(name + ".log").toFile())
                    .start();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Where clients of a member find it. */
    public synchronized String address(String member) {
        return network + "." + numbers.computeIfAbsent(member, added -> numbers.size() + 1);
    }

    private synchronized String there(String text) {
        return HOST.matcher(text).replaceAll(host -> address(host.group(1)));
    }

    private synchronized String back(String url) {
        return numbers.entrySet().stream()
                .filter(entry -> url.contains("//" + network + "." + entry.getValue() + ":"))
                .map(entry -> url.replace(
                        network + "." + entry.getValue(),
                        entry.getKey() + "." + cluster(entry.getKey()) + ".default.svc"))
                .findFirst()
                .orElse(url);
    }

    private static String cluster(String member) {
        return member.substring(0, member.lastIndexOf('-'));
    }

    private Endpoint at(Endpoint endpoint) {
        play();
        String address = URI.create(endpoint.url()).getHost();
        return client.pods().inNamespace("default").withLabel(Names.MEMBER_LABEL).list().getItems().stream()
                .filter(pod -> address.equals(pod.getStatus().getPodIP()))
                .findFirst()
                .map(pod -> Endpoint.plain(address(pod.getMetadata().getName()), 2379))
                .orElseThrow(() -> new EtcdException(endpoint.url() + ": nobody is there"));
    }

    private List<ListedMember> back(List<ListedMember> members) {
        return members.stream()
                .map(member -> new ListedMember(
                        member.id(),
                        member.name(),
                        member.learner(),
                        member.peerUrls().stream().map(this::back).toList()))
                .toList();
    }

    @Override
    public MemberStatus status(Endpoint endpoint) {
        return etcd.status(at(endpoint));
    }

    @Override
    public Membership members(Endpoint endpoint) {
        Membership found = etcd.members(at(endpoint));
        return new Membership(back(found.members()), found.guarded());
    }

    @Override
    public List<ListedMember> rememberedMembers(Endpoint endpoint) {
        return back(etcd.rememberedMembers(at(endpoint)));
    }

    @Override
    public void add(Endpoint endpoint, String peerUrl, boolean learner) {
        etcd.add(at(endpoint), there(peerUrl), learner);
    }

    @Override
    public void promote(Endpoint endpoint, long id) {
        etcd.promote(at(endpoint), id);
    }

    @Override
    public void remove(Endpoint endpoint, long id) {
        etcd.remove(at(endpoint), id);
    }

    @Override
    public List<String> clientUrls(Endpoint endpoint) {
        return etcd.clientUrls(at(endpoint));
    }

    @Override
    public MemberStatus snapshot(Endpoint endpoint, OutputStream into, Duration patience) {
        return etcd.snapshot(at(endpoint), into, patience);
    }

    @Override
    public synchronized void close() {
        processes.values().forEach(process -> process.destroyForcibly().onExit().join());
    }
}
