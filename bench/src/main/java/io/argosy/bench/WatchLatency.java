package io.argosy.bench;

import io.argosy.api.json.Json;
import io.argosy.bench.load.HttpConnection;
import io.argosy.bench.load.Target;
import io.argosy.bench.load.WatchStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * How soon a number of watchers hear of a write. One write is made after the other, the next when all have heard of the last, so that
 * a figure is a delay and not a queue's length.
 */
record WatchLatency(int watchers, int writes) {
    private static final byte[] MARK = "\"name\":\"write-".getBytes(StandardCharsets.US_ASCII);
    private static final int DIGITS = 6;
    private static final int LIMIT_SECONDS = 30;

    Measurement measure(Target target) throws IOException, InterruptedException {
        String prefix = "write-" + watchers + "x";
        long[][] heard = new long[writes][watchers];
        CountDownLatch[] all = new CountDownLatch[writes];
        for (int write = 0; write < writes; write++) {
            all[write] = new CountDownLatch(watchers);
        }
        List<WatchStream> streams = new ArrayList<>();
        long[] sinceSent = new long[writes * watchers];
        long[] sinceAnswered = new long[writes * watchers];
        try (HttpConnection writer = HttpConnection.to(target)) {
            String path = Manifests.maps("watched") + "?watch=true&labelSelector=bench%3Dround-" + watchers
                    + "&resourceVersion=" + now(writer);
            for (int watcher = 0; watcher < watchers; watcher++) {
                int number = watcher;
                streams.add(WatchStream.open(target, path, line -> {
                    int write = number(line);
                    heard[write][number] = System.nanoTime();
                    all[write].countDown();
                }));
            }
            for (int write = 0; write < writes; write++) {
                HttpConnection.Answer answer = writer.post(Manifests.maps("watched"), map(write));
                if (!all[write].await(LIMIT_SECONDS, TimeUnit.SECONDS)) {
                    throw new IOException(all[write].getCount() + " watchers did not hear of " + prefix + write + " in "
                            + LIMIT_SECONDS + " s");
                }
                for (int watcher = 0; watcher < watchers; watcher++) {
                    long at = heard[write][watcher];
                    sinceSent[write * watchers + watcher] = at - answer.sent();
                    sinceAnswered[write * watchers + watcher] = Math.max(0, at - answer.received());
                }
            }
        } finally {
            streams.forEach(WatchStream::close);
        }
        Samples sent = Samples.of(sinceSent);
        String text =
                Samples.of(sinceAnswered).percentiles() + " (after sending the write: " + sent.percentiles() + ")";
        // Compared from the sending on: a server that is slow to acknowledge must not look quick to tell.
        return Measurement.of(
                "watch: acknowledged write to event, " + watchers + " watchers",
                Figure.time(sent.median(), text, "p50 after sending"));
    }

    /** From where to watch, asked for as informers ask. Without it kube-apiserver may let each watch wait for its cache. */
    private static String now(HttpConnection connection) throws IOException, InterruptedException {
        HttpConnection.Answer list = connection.get(Manifests.maps("watched") + "?limit=1");
        return Json.decode(list.body()).path("metadata").path("resourceVersion").asText();
    }

    private String map(int write) {
        return "{\"apiVersion\":\"v1\",\"kind\":\"ConfigMap\",\"metadata\":{\"name\":\"write-%06d-%d\",\"labels\":{\"bench\":\"round-%d\"}},\"data\":{\"value\":\"%s\"}}"
                .formatted(write, watchers, watchers, Manifests.KIBIBYTE);
    }

    /** The number in the name of the object that an event is about. */
    private static int number(byte[] event) {
        for (int at = 0; at < event.length - MARK.length - DIGITS; at++) {
            int same = 0;
            while (same < MARK.length && event[at + same] == MARK[same]) {
                same++;
            }
            if (same == MARK.length) {
                return Integer.parseInt(new String(event, at + MARK.length, DIGITS, StandardCharsets.US_ASCII));
            }
        }
        throw new IllegalStateException("an event about something else: " + new String(event, StandardCharsets.UTF_8));
    }
}
