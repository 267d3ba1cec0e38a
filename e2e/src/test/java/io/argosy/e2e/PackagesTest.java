package io.argosy.e2e;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import java.nio.file.Path;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * What {@code argosy up} does on a machine that lacks a program: the machine is this one, seen through overlays in a mount namespace of the
 * test's own, so that what is removed and installed there stays there.
 */
class PackagesTest {
    private static final int NETWORK = 17;

    /** Runs what follows it where /usr, /var and /etc are copies, without conmon. */
    private static final String ELSEWHERE = """
            set -e
            mount -t tmpfs argosy-test "$0"
            for folder in usr var etc; do
              mkdir -p "$0/$folder/upper" "$0/$folder/work"
              mount -t overlay argosy-test -o "lowerdir=/$folder,upperdir=$0/$folder/upper,workdir=$0/$folder/work" "/$folder"
            done
            dpkg --purge --force-depends conmon >/dev/null 2>&1
            """;

    @TempDir
    Path folder;

    @BeforeEach
    void needsRootAndDebian() {
        assumeTrue(Machine.isRoot(), "skipped: needs root to see the machine without a program");
        for (String program : new String[] {"unshare", "apt-get", "dpkg", "conmon", "runc", "nft"}) {
            assumeTrue(Machine.has(program), "skipped: there is no " + program + " here");
        }
    }

    private Command.Outcome elsewhere(Argosy argosy, String script) {
        Path copies = folder.resolve("copies");
        Command.of("mkdir", "-p", copies.toString()).run().ok();
        return Command.of("unshare", "--mount", "bash", "-c", ELSEWHERE + script, copies.toString())
                .and(argosy.upWords())
                .run();
    }

    @Test
    void aMissingPackageIsInstalledAndThatIsSaidFirst() {
        assumeTrue(
                Command.of("apt-get", "update", "-qq").run().code() == 0,
                "skipped: Debian's packages cannot be reached");
        Argosy argosy = new Argosy(folder.resolve("home"), NETWORK);
        try {
            Command.Outcome outcome =
                    elsewhere(argosy, "\"$@\"; command -v conmon; \"$1\" down --home " + argosy.home());
            assertThat(outcome.ok())
                    .containsSubsequence(
                            "Installing with apt-get: conmon",
                            "Argosy is ready",
                            "/usr/bin/conmon",
                            "Argosy is stopped");
        } finally {
            argosy.close();
        }
    }

    @Test
    void whereNothingCanBeInstalledItIsSaidWhatIsMissing() {
        Argosy argosy = new Argosy(folder.resolve("home"), NETWORK);
        Command.Outcome outcome = elsewhere(argosy, "rm /usr/bin/apt-get; \"$@\"");
        assertThat(outcome.code()).isEqualTo(1);
        assertThat(outcome.err().strip().lines()).hasSize(1);
        assertThat(outcome.err()).contains("conmon", "--runtime simulated").doesNotContain("Exception");
    }
}
