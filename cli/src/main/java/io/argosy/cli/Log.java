package io.argosy.cli;

import io.argosy.cluster.home.Home;
import java.io.IOException;
import java.nio.file.Path;
import java.util.logging.FileHandler;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** Where the process writes what happened: a few files of bounded size in the home. */
final class Log {
    private static final int FILE_SIZE = 10 << 20;
    private static final int FILES = 3;

    private Log() {}

    static void toFile(Path home) {
        System.setProperty("java.util.logging.SimpleFormatter.format", "%1$tFT%1$tT.%1$tL %4$s %3$s: %5$s%6$s%n");
        Logger root = Logger.getLogger("");
        for (Handler handler : root.getHandlers()) {
            root.removeHandler(handler);
        }
        Home opened = Home.open(home);
        try {
            FileHandler file =
                    new FileHandler(opened.logs().resolve("argosy.%g.log").toString(), FILE_SIZE, FILES, true);
            file.setFormatter(new SimpleFormatter());
            root.addHandler(file);
        } catch (IOException e) {
            System.err.println("The log " + opened.logFile() + " cannot be written: " + e.getMessage());
        }
    }

    static void error(String message, Throwable cause) {
        Logger.getLogger("io.argosy").log(Level.SEVERE, message, cause);
    }
}
