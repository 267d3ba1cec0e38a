package io.argosy.cli;

import io.argosy.api.status.ApiException;
import io.argosy.cluster.Cluster;
import io.argosy.cluster.home.Home;
import io.argosy.cluster.home.HomeException;
import io.argosy.store.StoreException;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** The long-lived process: starts a cluster and keeps it until it is told to stop. */
public final class Daemon {
    /** The line by which the starting process learns that all is well. */
    static final String READY = "ready";

    /** Lines that begin with this tell why the start failed. */
    static final String FAILED = "failed: ";

    /** Begins the command to write a backup; the file follows. */
    static final String BACKUP = "backup ";

    /** The command to encrypt with a new key. */
    static final String ROTATE = "secrets rotate";

    /** The command to renew certificates. */
    static final String RENEW = "cert renew";

    private static final Duration STOP_GRACE = Duration.ofSeconds(30);

    private final CountDownLatch ended = new CountDownLatch(1);
    private Cluster cluster;

    private Daemon() {}

    /** Started by {@code up} in the background; says on standard output how it goes, and nothing more once it is ready. */
    public static void main(String[] arguments) {
        PrintStream out = System.out;
        Settings settings = Settings.parse(arguments);
        Log.toFile(settings.home());
        int code = new Daemon().run(settings, out::println, () -> {
            out.println(READY);
            out.close();
        });
        System.exit(code);
    }

    /** Runs until the end; the code to exit with. */
    static int foreground(Settings settings) {
        Log.toFile(settings.home());
        return new Daemon()
                .run(settings, System.out::println, () -> System.out.println("Argosy is ready. Stop it with Ctrl-C."));
    }

    private int run(Settings settings, Consumer<String> progress, Runnable ready) {
        try {
            cluster = settings.builder().progress(progress).start();
        } catch (HomeException explained) {
            progress.accept(FAILED + explained.getMessage());
            return 1;
        } catch (RuntimeException unexpected) {
            Log.error("Argosy could not start", unexpected);
            progress.accept(FAILED + "Argosy could not start: " + unexpected.getMessage() + " (more in "
                    + new Home(settings.home()).logFile() + ").");
            return 1;
        }
        Thread end = Thread.ofPlatform().name("shutdown").unstarted(this::close);
        Runtime.getRuntime().addShutdownHook(end);
        try (ControlSocket control = ControlSocket.listen(cluster.home(), this::command)) {
            control.start();
            cluster.awaitReady();
            settings.store().remember(cluster.home());
            ready.run();
            HeapKeeper.start();
            ended.await();
            return 0;
        } catch (IOException e) {
            progress.accept(FAILED + "The control socket cannot be opened: " + e.getMessage() + ".");
            return 1;
        } catch (InterruptedException interrupted) {
            return 0;
        }
    }

    /** What {@code down} and {@code status} ask of us; each line of the answer goes to the user. */
    private void command(String command, Consumer<String> answer) {
        switch (command) {
            case "status" -> Status.of(cluster).forEach(answer);
            case "stop" -> stop(false, answer);
            case "stop keep-pods" -> stop(true, answer);
            case ROTATE -> carryOut("The rotation", () -> cluster.rotateEncryptionKey() + "", answer);
            case RENEW ->
                carryOut(
                        "Renewing",
                        () -> CertCommand.said(cluster.certificates().renewAll()),
                        answer);
            default -> {
                if (command.startsWith(UserCommand.COMMAND)) {
                    String asked = command.substring(UserCommand.COMMAND.length());
                    carryOut("Adding the user", () -> UserCommand.carryOut(cluster, asked), answer);
                } else if (command.startsWith(BACKUP)) {
                    Path file = Path.of(command.substring(BACKUP.length()));
                    carryOut("The backup", () -> "Wrote " + cluster.backup(file) + ".", answer);
                } else if (command.startsWith(KeyCommand.COMMAND)) {
                    key(command.substring(KeyCommand.COMMAND.length()), answer);
                } else {
                    answer.accept("unknown command " + command);
                }
            }
        }
    }

    private void key(String action, Consumer<String> answer) {
        try {
            KeyCommand.run(cluster.tokenKeys(), action).forEach(answer);
        } catch (HomeException explained) {
            answer.accept(FAILED + explained.getMessage());
        }
    }

    /** Answers with what was done, or with why it could not be. */
    private static void carryOut(String what, Supplier<String> work, Consumer<String> answer) {
        try {
            answer.accept(work.get());
        } catch (HomeException | StoreException | ApiException explained) {
            answer.accept(FAILED + explained.getMessage());
        } catch (RuntimeException unexpected) {
            Log.error(what + " failed", unexpected);
            answer.accept(FAILED + what + " failed: " + unexpected.getMessage());
        }
    }

    /** Has the running process of a home carry out a command, or does it here if none runs; what was done. */
    static String ask(Home home, String command, Supplier<String> otherwise) {
        List<String> answer = new ArrayList<>();
        if (ControlSocket.ask(home, command, answer::add).isEmpty()) {
            return otherwise.get();
        }
        String last = answer.isEmpty() ? FAILED + "Argosy ended before it was done." : answer.getLast();
        if (last.startsWith(FAILED)) {
            throw new HomeException(last.substring(FAILED.length()));
        }
        return last;
    }

    static void requireHome(Home home) {
        if (!Files.exists(home.root().resolve("format"))) {
            throw new HomeException(home.root() + " does not look like a home of Argosy: there is nothing to do.");
        }
    }

    private void stop(boolean keepPods, Consumer<String> answer) {
        try {
            if (!keepPods) {
                answer.accept("Stopping pods");
                cluster.stopPods(STOP_GRACE);
            }
        } catch (IOException e) {
            Log.error("Pods could not be stopped cleanly", e);
            answer.accept("Some of what the pods used could not be removed: " + e.getMessage());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        }
        answer.accept("Stopping Argosy");
        Thread.ofPlatform().name("stop").start(() -> System.exit(0));
    }

    private void close() {
        cluster.close();
        ended.countDown();
    }
}
