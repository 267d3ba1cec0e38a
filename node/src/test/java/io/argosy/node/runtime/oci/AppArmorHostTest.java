package io.argosy.node.runtime.oci;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.argosy.node.runtime.SecurityContext;
import io.argosy.node.runtime.SecurityContext.AppArmor;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Hosts with and without AppArmor, by the files in which the kernel tells of it. */
class AppArmorHostTest {
    private static final SecurityContext PRIVILEGED =
            SecurityContext.builder().privileged(true).build();

    @TempDir
    Path root;

    private final List<String> loaded = new ArrayList<>();

    private AppArmorHost host() {
        return new AppArmorHost(root, loaded::add);
    }

    private void kernel(String enabled, String... profiles) throws IOException {
        Path module = Files.createDirectories(root.resolve("sys/module/apparmor/parameters"));
        Files.writeString(module.resolve("enabled"), enabled + "\n");
        Path security = Files.createDirectories(root.resolve("sys/kernel/security/apparmor"));
        Files.write(security.resolve("profiles"), List.of(profiles));
    }

    private static SecurityContext asking(AppArmor profile) {
        return SecurityContext.builder().appArmor(profile).build();
    }

    @Test
    void withoutItNothingIsConfinedAndNoProfileCanBeHad() throws Exception {
        assertThat(host().enabled()).isFalse();
        assertThat(host().profile(SecurityContext.DEFAULT)).isEmpty();
        assertThatThrownBy(() -> host().profile(asking(new AppArmor.Localhost("mine"))))
                .hasMessage("failed to generate apparmor spec opts: apparmor is not supported");
        kernel("N");
        assertThat(host().enabled()).isFalse();
        assertThat(loaded).isEmpty();
    }

    @Test
    void withItAllButThePrivilegedAreConfinedByTheProfileThatIsLoadedOnce() throws Exception {
        kernel("Y", "mine (enforce)");
        assertThat(host().enabled()).isTrue();
        assertThat(host().profile(PRIVILEGED)).isEmpty();
        assertThat(host().profile(asking(new AppArmor.Unconfined()))).isEmpty();
        assertThat(loaded).isEmpty();
        assertThat(host().profile(SecurityContext.DEFAULT)).contains("argosy-default");
        assertThat(loaded).singleElement().asString().contains("profile argosy-default ", "deny mount,");
        kernel("Y", "mine (enforce)", "argosy-default (enforce)");
        assertThat(host().profile(asking(new AppArmor.RuntimeDefault()))).contains("argosy-default");
        assertThat(loaded).hasSize(1);
    }

    @Test
    void aProfileOfTheNodeMustBeLoaded() throws Exception {
        kernel("Y", "mine (complain)", "minehead (enforce)");
        assertThat(host().profile(asking(new AppArmor.Localhost("mine")))).contains("mine");
        assertThatThrownBy(() -> host().profile(asking(new AppArmor.Localhost("min"))))
                .hasMessage("failed to generate apparmor spec opts: apparmor profile not found min");
    }
}
