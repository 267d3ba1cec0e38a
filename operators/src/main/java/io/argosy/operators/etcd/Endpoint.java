package io.argosy.operators.etcd;

/**
 * Where a member answers clients.
 *
 * @param url by address: a name may not resolve yet, or be remembered from a pod before
 * @param host the name that its certificate must be for
 * @param credentials what to trust and who we are; null without TLS
 */
public record Endpoint(String url, String host, ClientCredentials credentials) {
    public static Endpoint plain(String address, int port) {
        return new Endpoint("http://" + bracketed(address) + ":" + port, null, null);
    }

    public static Endpoint secure(String address, int port, String host, ClientCredentials credentials) {
        return new Endpoint("https://" + bracketed(address) + ":" + port, host, credentials);
    }

    private static String bracketed(String address) {
        return address.contains(":") ? "[" + address + "]" : address;
    }

    /** PEM texts of the authority to trust, and of our own certificate and its key. */
    public record ClientCredentials(String authority, String certificate, String key) {}
}
