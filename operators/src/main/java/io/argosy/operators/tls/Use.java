package io.argosy.operators.tls;

import java.util.List;

/** What a certificate of a cluster is for, and the files of its secret, named as the original operator names them. */
public enum Use {
    PEER("peer", true, true),
    SERVER("server", true, true), // a client too: etcd's gateway asks etcd
    CLIENT("etcd-client", false, true);

    private final String word;
    private final boolean serves;
    private final boolean asks;

    Use(String word, boolean serves, boolean asks) {
        this.word = word;
        this.serves = serves;
        this.asks = asks;
    }

    public String authorityFile() {
        return word + "-ca.crt";
    }

    public String certificateFile() {
        return word + ".crt";
    }

    public String keyFile() {
        return word + ".key";
    }

    List<String> files() {
        return List.of(authorityFile(), certificateFile(), keyFile());
    }

    /** The common name of those that the operator issues; members know their peers by it. */
    public String commonName() {
        return this == CLIENT ? word : "etcd-" + word;
    }

    boolean serves() {
        return serves;
    }

    boolean asks() {
        return asks;
    }

    /** Whether it must be good for this to work; a server of clients alone need not be a client. */
    boolean mustAsk() {
        return this != SERVER;
    }
}
