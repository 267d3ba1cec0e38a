package io.argosy.bench;

import io.argosy.bench.load.HttpConnection;
import io.argosy.bench.load.PodProgress;
import io.argosy.bench.load.Target;
import java.io.IOException;
import java.time.Duration;
import java.util.List;

/** Real pods of a namespace from their creation until they are Ready: the same for whichever cluster they are given to. */
final class PodsLoad implements AutoCloseable {
    private static final String NAMESPACE = "default";
    private static final int SINGLE = 10;
    private static final int TOGETHER = 30;
    private static final int ROUNDS = 3;
    private static final Duration LIMIT = Duration.ofSeconds(60);
    private static final Duration LIMIT_OF_ALL = Duration.ofMinutes(5);

    private final Context context;
    private final String image;
    private final HttpConnection connection;
    private final PodProgress progress;

    /** The image must be where the pods will run: nobody pulls it. */
    PodsLoad(Context context, Target target, String image) throws IOException, InterruptedException {
        this.context = context;
        this.image = image;
        connection = HttpConnection.to(target);
        progress = PodProgress.of(target, NAMESPACE);
    }

    /** One at a time, then some at once; nothing is left of them. */
    List<Measurement> measure() throws IOException, InterruptedException {
        connection.ensure(Manifests.serviceAccounts(NAMESPACE), Manifests.serviceAccount("default"));
        context.progress().accept("the first pod");
        single("first");
        long[] single = new long[SINGLE];
        for (int i = 0; i < SINGLE; i++) {
            context.progress().accept("pod " + (i + 1) + " of " + SINGLE);
            single[i] = single("single-" + i);
        }
        long[] together = new long[ROUNDS];
        for (int i = 0; i < ROUNDS; i++) {
            together[i] = together(TOGETHER, "together-" + i + "-");
            end();
        }
        return List.of(
                measurement("one pod, create to Ready, image present", single, "<= 0.2 s"),
                measurement(TOGETHER + " pods at once until all Ready", together, "<= 2 s"));
    }

    private static Measurement measurement(String work, long[] nanos, String goal) {
        Samples samples = Samples.of(nanos);
        return new Measurement(work, Figure.time(samples.median(), samples.spread(), ""), goal);
    }

    private long single(String name) throws IOException, InterruptedException {
        HttpConnection.Answer created = connection.post(Manifests.pods(NAMESPACE), Manifests.sleepingPod(name, image));
        long ready = progress.awaitReady(1, LIMIT);
        connection.delete(Manifests.pods(NAMESPACE) + "/" + name);
        progress.awaitGone(LIMIT);
        return ready - created.sent();
    }

    /** From the first creation until the last of them is Ready. */
    long together(int count, String prefix) throws IOException, InterruptedException {
        context.progress().accept(count + " pods at once");
        long begin = System.nanoTime();
        for (int i = 0; i < count; i++) {
            connection.post(Manifests.pods(NAMESPACE), Manifests.sleepingPod(prefix + i, image));
        }
        return progress.awaitReady(count, LIMIT_OF_ALL) - begin;
    }

    private void end() throws IOException, InterruptedException {
        context.progress().accept("their end");
        connection.delete(Manifests.pods(NAMESPACE));
        progress.awaitGone(LIMIT_OF_ALL);
    }

    @Override
    public void close() {
        progress.close();
        connection.close();
    }
}
