package io.argosy.operators.etcd;

import java.net.URI;

/**
 * Where a member answers clients.
 *
 * @param url by address: a name may not resolve yet, or be remembered from a pod before
 * @param host the name that its certificate must be for
 * @param credentials what to trust and who we are; null without TLS
 */
public record Endpoint(String url, String host, ClientCredentials credentials) {
    private static final int DEFAULT_PORT = 2379;
    private static final int LAST_PORT = 65535;

    public static Endpoint plain(String address, int port) {
        return new Endpoint("http://" + bracketed(address) + ":" + port, null, null);
    }

    public static Endpoint secure(String address, int port, String host, ClientCredentials credentials) {
        return new Endpoint("https://" + bracketed(address) + ":" + port, host, credentials);
    }

    /** As people write it; a name without a dot is that of a service in the namespace. */
    public static Endpoint parse(String url, String namespace, ClientCredentials credentials) {
        URI uri = URI.create(url);
        String host = uri.getHost();
        if (host == null) {
            throw new IllegalArgumentException(
                    url + " has no host that can be looked up; a Service is written as NAME, or as NAME.NAMESPACE.svc");
        }
        boolean address = host.contains(":") || host.contains(".") || host.equals("localhost");
        String full = address || namespace == null ? host : host + "." + namespace + ".svc";
        int port = uri.getPort() < 0 ? DEFAULT_PORT : uri.getPort();
        if (port == 0 || port > LAST_PORT) {
            throw new IllegalArgumentException(url + " has no port between 1 and " + LAST_PORT);
        }
        return new Endpoint(
                uri.getScheme() + "://" + full + ":" + port,
                full,
                uri.getScheme().equals("https") ? credentials : null);
    }

    private static String bracketed(String address) {
        return address.contains(":") ? "[" + address + "]" : address;
    }

    /** PEM texts of the authority to trust, and of our own certificate and its key. */
    public record ClientCredentials(String authority, String certificate, String key) {}
}
