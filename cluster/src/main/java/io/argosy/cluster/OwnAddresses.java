package io.argosy.cluster;

import io.argosy.api.net.IpText;
import io.argosy.cluster.home.HomeException;
import java.net.Inet4Address;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.util.Collections;
import java.util.Optional;
import java.util.function.Predicate;

/** The addresses by which other machines know this one. */
final class OwnAddresses {
    private OwnAddresses() {}

    /** The first of a real interface; loopback where the machine has no network at all. */
    static String ipv4() {
        return find(Inet4Address.class::isInstance).orElse("127.0.0.1");
    }

    /** The first of a real interface that reaches beyond its cable. */
    static Optional<String> ipv6() {
        return find(address -> !(address instanceof Inet4Address) && !address.isLinkLocalAddress());
    }

    private static Optional<String> find(Predicate<InetAddress> wanted) {
        try {
            for (NetworkInterface card : Collections.list(NetworkInterface.getNetworkInterfaces())) {
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

    private static boolean isVirtual(String name) {
        return name.startsWith("agy") || name.startsWith("veth") || name.startsWith("docker") || name.startsWith("br-");
    }
}
