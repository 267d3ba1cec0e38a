package io.argosy.examples.sidecar;

import io.argosy.api.NamespacedName;
import io.argosy.client.informer.Informer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;

/** Tells every proxy, which asks each second, the weights of today; haproxy calls this an agent check. One who gets no answer goes on as before. */
final class WeightAgent {
    static final int PORT = 15010;
    private static final int PATIENCE = (int) Duration.ofSeconds(5).toMillis();

    private final Informer<TrafficSplit> splits;

    WeightAgent(Informer<TrafficSplit> splits) {
        this.splits = splits;
    }

    void serve() throws IOException {
        try (ServerSocket socket = new ServerSocket(PORT)) {
            while (true) {
                Socket proxy = socket.accept();
                Thread.startVirtualThread(() -> answer(proxy));
            }
        }
    }

    private void answer(Socket proxy) {
        try (proxy) {
            proxy.setSoTimeout(PATIENCE);
            String line = new BufferedReader(new InputStreamReader(proxy.getInputStream(), StandardCharsets.US_ASCII))
                    .readLine();
            String answer = weight(line == null ? "" : line).orElse("");
            proxy.getOutputStream().write(answer.getBytes(StandardCharsets.US_ASCII));
        } catch (IOException gone) {
            // it asks again
        }
    }

    /** The question is "namespace/split/service". */
    private Optional<String> weight(String question) {
        String[] words = question.split("/");
        return words.length != 3
                ? Optional.empty()
                : splits.get(NamespacedName.of(words[0], words[1]))
                        .map(split -> "ready " + split.percent(words[2]) + "%\n");
    }
}
