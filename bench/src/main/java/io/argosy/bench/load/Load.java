package io.argosy.bench.load;

import io.argosy.bench.Samples;
import io.netty.buffer.ByteBuf;
import io.netty.channel.Channel;
import io.netty.channel.ChannelHandlerContext;
import io.netty.channel.ChannelInboundHandlerAdapter;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.LongFunction;

/**
 * Requests on a number of kept-alive connections, each sending its next when the last was answered, until enough were sent or the
 * time is over.
 */
public final class Load {
    /** One request: GET of a path, or POST of a body to it. */
    public record Request(String path, byte[] body) {
        private static final byte[] NONE = new byte[0];

        public static Request get(String path) {
            return new Request(path, NONE);
        }

        public static Request post(String path, String json) {
            return new Request(path, json.getBytes(StandardCharsets.UTF_8));
        }
    }

    /** How it went: answered requests, the time from the first to the last of them, and how long each took. */
    public record Outcome(long answered, Duration took, Samples latency) {
        public double perSecond() {
            return answered / (took.toNanos() / 1e9);
        }
    }

    private final Target target;
    private final LongFunction<Request> requests;
    private final AtomicLong next = new AtomicLong();
    private final AtomicReference<String> failure = new AtomicReference<>();
    private final long most;
    private CountDownLatch working;
    private volatile long deadline;

    /** The requests are made from their number, counted from 0. */
    public Load(Target target, long most, LongFunction<Request> requests) {
        this.target = target;
        this.most = most;
        this.requests = requests;
    }

    public Outcome run(int connections, Duration longest) throws IOException, InterruptedException {
        List<Worker> workers = new ArrayList<>();
        working = new CountDownLatch(connections);
        try {
            for (int i = 0; i < connections; i++) {
                Worker worker = new Worker();
                workers.add(worker);
                worker.channel = target.connect(worker);
            }
            long begin = System.nanoTime();
            deadline = begin + longest.toNanos();
            workers.forEach(worker -> worker.channel.eventLoop().execute(worker::sendNext));
            working.await();
            long end = System.nanoTime();
            if (failure.get() != null) {
                throw new IOException(failure.get());
            }
            return outcome(workers, Duration.ofNanos(end - begin));
        } finally {
            workers.stream()
                    .map(worker -> worker.channel)
                    .filter(channel -> channel != null)
                    .forEach(channel -> channel.close().awaitUninterruptibly());
        }
    }

    private static Outcome outcome(List<Worker> workers, Duration took) {
        long[] all = workers.stream()
                .flatMapToLong(worker -> Arrays.stream(worker.nanos, 0, worker.answered))
                .toArray();
        return new Outcome(all.length, took, Samples.of(all));
    }

    private final class Worker extends ChannelInboundHandlerAdapter {
        private final AnswerReader reader = new AnswerReader();
        private long[] nanos = new long[1024];
        private int answered;
        private long sent;
        private boolean finished;
        private Channel channel;

        private void sendNext() {
            long now = System.nanoTime();
            long number = now - deadline < 0 && failure.get() == null ? next.getAndIncrement() : most;
            if (number >= most) {
                finish();
                return;
            }
            Request request = requests.apply(number);
            String head =
                    target.head(request.body().length == 0 ? "GET" : "POST", request.path(), request.body().length);
            ByteBuf bytes = channel.alloc().directBuffer(head.length() + request.body().length);
            bytes.writeCharSequence(head, StandardCharsets.US_ASCII);
            bytes.writeBytes(request.body());
            sent = now;
            channel.writeAndFlush(bytes, channel.voidPromise());
        }

        @Override
        public void channelRead(ChannelHandlerContext context, Object message) {
            ByteBuf bytes = (ByteBuf) message;
            try {
                if (reader.read(bytes)) {
                    answered();
                }
            } finally {
                bytes.release();
            }
        }

        private void answered() {
            if (reader.status() >= 300) {
                fail("the server answered " + reader.status());
                return;
            }
            if (answered == nanos.length) {
                nanos = Arrays.copyOf(nanos, answered * 2);
            }
            nanos[answered++] = System.nanoTime() - sent;
            sendNext();
        }

        @Override
        public void channelInactive(ChannelHandlerContext context) {
            if (!finished) {
                fail("the server closed a connection");
            }
        }

        @Override
        public void exceptionCaught(ChannelHandlerContext context, Throwable cause) {
            fail(cause.toString());
        }

        private void fail(String why) {
            failure.compareAndSet(null, why);
            finish();
        }

        private void finish() {
            if (!finished) {
                finished = true;
                working.countDown();
            }
        }
    }
}
