package io.argosy.network.proxy;

import java.io.IOException;

/** The kernel, or nft before it, does not take a script; what it held before it still holds. */
final class NftRefusal extends IOException {
    private static final long serialVersionUID = 1;

    NftRefusal(String said) {
        super(said);
    }
}
