package io.argosy.network.dns;

import io.argosy.api.net.Cidr;
import io.argosy.api.net.Ip;
import io.argosy.api.time.Clock;
import java.net.InetAddress;
import java.net.NetworkInterface;
import java.net.SocketException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Those for whom we ask other servers: pods and this machine. An open door would let anybody flood others through us. */
public final class Clients implements Predicate<InetAddress> {
    private static final Logger log = LoggerFactory.getLogger(Clients.class);
    private static final Duration FRESH = Duration.ofSeconds(5);

    private record Machine(Set<Ip> addresses, Instant read) {}

    private final List<Cidr> pods;
    private final Clock clock;
    private volatile Machine machine = new Machine(Set.of(), Instant.MIN);

    public Clients(List<Cidr> pods, Clock clock) {
        this.pods = List.copyOf(pods);
        this.clock = clock;
    }

    @Override
    public boolean test(InetAddress client) {
        if (client.isLoopbackAddress()) {
            return true;
        }
        Ip ip = Ip.of(client);
        return pods.stream().anyMatch(network -> network.contains(ip))
                || machine().addresses.contains(ip);
    }

    /** The machine's addresses may change; they are read again when they may have. */
    private Machine machine() {
        Machine known = machine;
        Instant now = clock.now();
        if (known.read.plus(FRESH).isBefore(now)) {
            known = new Machine(read(known.addresses), now);
            machine = known;
        }
        return known;
    }

    private static Set<Ip> read(Set<Ip> before) {
        try {
            return NetworkInterface.networkInterfaces()
                    .flatMap(NetworkInterface::inetAddresses)
                    .map(Ip::of)
                    .collect(Collectors.toUnmodifiableSet());
        } catch (SocketException e) {
            log.warn("the addresses of this machine cannot be read: {}", e.getMessage());
            return before;
        }
    }
}
