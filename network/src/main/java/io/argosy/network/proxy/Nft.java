package io.argosy.network.proxy;

import java.io.IOException;
import java.util.List;

/** The door to the kernel's packet filter: takes one script and applies it wholly or not at all. */
public interface Nft {
    void apply(String script) throws IOException, InterruptedException;

    /** Asks whether a script would be taken, and leaves everything as it is; where nobody can tell, it would. */
    default void check(String script) throws IOException, InterruptedException {}

    /** The nft program of this machine. */
    static Nft system() {
        return new NftProgram(List.of("nft"));
    }

    /** The nft program behind a prefix, such as {@code ip netns exec N nft}. */
    static Nft command(String... command) {
        return new NftProgram(List.of(command));
    }
}
