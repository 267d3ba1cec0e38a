package io.argosy.cluster;

import io.argosy.cluster.home.Home;
import io.argosy.cluster.pki.Pki;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** The file by which kubectl and other clients find the cluster, as its administrator. */
final class Kubeconfig {
    private Kubeconfig() {}

    static void write(Home home, Pki pki, int port) throws IOException {
        Home.write(home.kubeconfig(), """
            apiVersion: v1
            kind: Config
            clusters:
            - name: argosy
              cluster:
                server: https://127.0.0.1:%d
                certificate-authority-data: %s
            contexts:
            - name: argosy
              context:
                cluster: argosy
                user: argosy-admin
            current-context: argosy
            users:
            - name: argosy-admin
              user:
                client-certificate-data: %s
                client-key-data: %s
            """.formatted(
                port, base64(pki.authorityPem()), base64(pki.adminCertificatePem()), base64(pki.adminKeyPem())));
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }
}
