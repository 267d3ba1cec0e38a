package io.argosy.cluster;

import io.argosy.api.net.IpText;
import io.argosy.cluster.home.HomeException;
import java.io.IOException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;

/** The addresses by which other machines know this one. */
final class OwnAddresses {
    private static final Path ROUTES = Path.of("/proc/net/route");

    private OwnAddresses() {}

    /** That of the way to the world, or of the oldest real interface; loopback where the machine has no network at all. */
    static String ipv4() {
        return find(Inet4Address.class::isInstance).orElse("127.0.0.1");
    }

    /** The first in that order that reaches beyond its cable. */
    static Optional<String> ipv6() {
        return find(address -> !(address instanceof Inet4Address) && !address.isLinkLocalAddress());
    }

    private static Optional<String> find(Predicate<InetAddress> wanted) {
        try {
            for (NetworkInterface card : inOrder(Collections.list(NetworkInterface.getNetworkInterfaces()))) {
                if (!card.isUp() || card.isLoopback() || isVirtual(card.getName())) {
                    continue;
                }
                for (InetAddress candidate : Collections.list(card.getInetAddresses())) {
                    if (wanted.test(candidate)) {
                        return Optional.of(IpText.of(candidate.getAddress()));
                    }
                }
            }
        } catch (SocketException e) {
            throw new HomeException("The machine's network interfaces cannot be listed: " + e.getMessage() + ".", e);
        }
        return Optional.empty();
    }

    private static List<NetworkInterface> inOrder(List<NetworkInterface> cards) {
        Set<String> routed = routed(lines(ROUTES));
        Map<Card, NetworkInterface> known = new HashMap<>();
        for (NetworkInterface card : cards) {
            boolean bridge = Files.exists(Path.of("/sys/class/net", card.getName(), "bridge"));
            known.put(new Card(card.getName(), card.getIndex(), routed.contains(card.getName()), bridge), card);
        }
        return known.keySet().stream().sorted(BEST_FIRST).map(known::get).toList();
    }

    /**
     * What is known of an interface.
     *
     * @param routed whether what goes to the rest of the world goes out here
     */
    record Card(String name, int index, boolean routed, boolean bridge) {}

    /** The way to the world, then the oldest; bridges come and go with whatever made them. */
    static final Comparator<Card> BEST_FIRST = Comparator.comparing((Card card) -> !card.routed())
            .thenComparing(Card::bridge)
            .thenComparing(Card::index);

    /** The interfaces of default routes, as the kernel lists them. */
    static Set<String> routed(List<String> routes) {
        return routes.stream()
                .map(line -> line.split("\\s+"))
                .filter(fields -> fields.length > 7 && fields[1].equals("00000000") && fields[7].equals("00000000"))
                .map(fields -> fields[0])
                .collect(Collectors.toSet());
    }

    /** Where there is no such file, nothing is known. */
    private static List<String> lines(Path file) {
        try {
            return Files.readAllLines(file);
        } catch (IOException elsewhere) {
            return List.of();
        }
    }

    private static boolean isVirtual(String name) {
        return name.startsWith("agy") || name.startsWith("veth") || name.startsWith("docker") || name.startsWith("br-");
    }
}
