package io.argosy.cluster;

import io.argosy.api.json.Json;
import io.argosy.cluster.home.Home;
import io.argosy.cluster.pki.Pki;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** The file by which kubectl and other clients find the cluster, as its administrator. */
final class Kubeconfig {
    private Kubeconfig() {}

    static void write(Home home, Pki pki, int port) throws IOException {
        Home.write(
                home.kubeconfig(),
                text(local(port), pki.authorityPem(), "argosy-admin", pki.adminCertificatePem(), pki.adminKeyPem()));
    }

    /** Where the API server is reached on its own machine. */
    static String local(int port) {
        return "https://127.0.0.1:" + port;
    }

    /** The file of somebody who proves by a certificate who they are. */
    static String text(String server, String authority, String user, String certificate, String key) {
        String name = Json.NODES.textNode(user).toString(); // quoted, whatever it holds
        return """
            apiVersion: v1
            kind: Config
            clusters:
            - name: argosy
              cluster:
                server: %s
                certificate-authority-data: %s
            contexts:
            - name: argosy
              context:
                cluster: argosy
                user: %s
            current-context: argosy
            users:
            - name: %s
              user:
                client-certificate-data: %s
                client-key-data: %s
            """.formatted(server, base64(authority), name, name, base64(certificate), base64(key));
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
