package io.argosy.cluster.encryption;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.time.Clock;
import io.argosy.cluster.home.Home;
import io.argosy.cluster.wire.Stores;
import io.argosy.store.ListOptions;
import io.argosy.store.Store;
import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.nio.file.Path;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A process that changes keys again and again is killed at some moment: every Secret is there and can be read. */
class RotationKillTest {
    private static final int SECRETS = 60;
    private static final int KILLS = 4;

    @TempDir
    Path folder;

    /** The process that is killed. */
    static final class Child {
        private Child() {}

        public static void main(String[] arguments) {
            Home home = Home.open(Path.of(arguments[0]));
            Encryption encryption = Encryption.open(home);
            try (Store store = Stores.open(home, null, encryption, Clock.system())) {
                for (int i = 0; i < SECRETS; i++) {
                    store.put(key(i), value(i), Store.ANY);
                }
                System.out.println("written");
                while (true) {
                    System.out.println(encryption.rotate(store).objects());
                }
            }
        }
    }

    private static String key(int number) {
        return "/registry/secrets/default/s" + number;
    }

    private static byte[] value(int number) {
        return ("value " + number).getBytes(UTF_8);
    }

    @Test
    void nothingIsLost() throws Exception {
        Random random = new Random(7);
        for (int kill = 0; kill < KILLS; kill++) {
            Process child = new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "--enable-native-access=ALL-UNNAMED",
                            "-cp",
                            System.getProperty("java.class.path"),
                            Child.class.getName(),
                            folder.toString())
                    .redirectError(ProcessBuilder.Redirect.DISCARD)
                    .start();
            try (BufferedReader said = new BufferedReader(new InputStreamReader(child.getInputStream(), UTF_8))) {
                assertThat(said.readLine()).isEqualTo("written");
                for (int rotations = random.nextInt(4); rotations > 0; rotations--) {
                    assertThat(said.readLine()).isEqualTo(Integer.toString(SECRETS));
                }
                child.waitFor(random.nextInt(30), TimeUnit.MILLISECONDS); // somewhere in the next one
            } finally {
                child.destroyForcibly().waitFor();
            }
            Home home = Home.open(folder);
            try (Store store = Stores.open(home, null, Encryption.open(home), Clock.system())) {
                assertThat(store.list("/registry/secrets/", ListOptions.ALL).entries())
                        .hasSize(SECRETS);
                for (int i = 0; i < SECRETS; i++) {
                    assertThat(store.get(key(i)).orElseThrow().value()).isEqualTo(value(i));
                }
            }
        }
    }
}
