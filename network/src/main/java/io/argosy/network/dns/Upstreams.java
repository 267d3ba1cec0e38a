package io.argosy.network.dns;

import io.argosy.api.net.Ip;
import io.argosy.api.time.Clock;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The servers that know the rest of the world, in the order to ask them. */
public interface Upstreams {
    List<InetSocketAddress> servers();

    /** Always the same servers. */
    static Upstreams fixed(InetSocketAddress... servers) {
        List<InetSocketAddress> list = List.of(servers);
        return () -> list;
    }

    /** Those of the machine's resolv.conf, read again when it may have changed; never the addresses that are our own. */
    static Upstreams resolvConf(Path file, Collection<InetSocketAddress> own, Clock clock) {
        return new ResolvConf(file, Set.copyOf(own), clock);
    }

    /** Reads the nameserver lines of a resolv.conf. */
    final class ResolvConf implements Upstreams {
        private static final Logger log = LoggerFactory.getLogger(ResolvConf.class);
        private static final Duration FRESH = Duration.ofSeconds(5);
        private static final int MOST = 3;

        private final Path file;
        private final Set<InetSocketAddress> own;
        private final Clock clock;
        private List<InetSocketAddress> servers = List.of();
        private Instant read = Instant.MIN;

        ResolvConf(Path file, Set<InetSocketAddress> own, Clock clock) {
            this.file = file;
            this.own = own;
            this.clock = clock;
        }

        @Override
        public synchronized List<InetSocketAddress> servers() {
            Instant now = clock.now();
            if (read.plus(FRESH).isBefore(now)) {
                read = now;
                servers = read();
            }
            return servers;
        }

        private List<InetSocketAddress> read() {
            List<InetSocketAddress> found = new ArrayList<>();
            try {
                for (String line : Files.readAllLines(file)) {
                    String[] words = line.strip().split("\\s+", -1);
                    if (words.length >= 2 && words[0].equals("nameserver") && found.size() < MOST) {
                        String address = words[1].replaceFirst("%.*", "");
                        found.add(new InetSocketAddress(Ip.parse(address).toInetAddress(), 53));
                    }
                }
            } catch (IOException | IllegalArgumentException e) {
                log.warn("no name servers from {}: {}", file, e.getMessage());
                return List.of();
            }
            found.removeAll(own);
            return List.copyOf(found);
        }
    }
}
