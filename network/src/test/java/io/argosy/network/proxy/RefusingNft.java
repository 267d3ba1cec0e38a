package io.argosy.network.proxy;

import java.io.IOException;
import java.util.Collection;
import java.util.function.BooleanSupplier;

/** A kernel that does not take scripts with a certain word in them, and keeps those it took. */
public final class RefusingNft implements Nft {
    private final String word;
    private final BooleanSupplier takesAll;
    private final Collection<String> taken;

    private RefusingNft(String word, BooleanSupplier takesAll, Collection<String> taken) {
        this.word = word;
        this.takesAll = takesAll;
        this.taken = taken;
    }

    public static Nft refusing(String word, BooleanSupplier takesAll, Collection<String> taken) {
        return new RefusingNft(word, takesAll, taken);
    }

    @Override
    public void apply(String script) throws IOException {
        check(script);
        taken.add(script);
    }

    @Override
    public void check(String script) throws IOException {
        if (script.contains(word) && !takesAll.getAsBoolean()) {
            throw new NftRefusal("nft refused the rules because of " + word);
        }
    }
}
