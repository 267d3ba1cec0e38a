package io.argosy.store.etcd;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.GeneralSecurityException;
import java.security.KeyStore;
import java.util.Base64;

/** One certificate that stands for everybody: authority, server and client. */
public final class EtcdCertificate {
    private static final String PASSWORD = "changeit";

    private EtcdCertificate() {}

    /** Writes certificate and key, for these names as keytool writes them, such as {@code dns:localhost,ip:127.0.0.1}. */
    public static void make(String names, Path certificate, Path key)
            throws IOException, GeneralSecurityException, InterruptedException {
        Path store = certificate.resolveSibling(certificate.getFileName() + ".p12");
        Process keytool = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "keytool")
                                .toString(),
                        "-genkeypair",
                        "-alias",
                        "me",
                        "-keyalg",
                        "RSA",
                        "-dname",
                        "CN=test",
                        "-validity",
                        "10",
                        "-ext",
                        "san=" + names,
                        "-ext",
                        "bc:c=ca:true",
                        "-ext",
                        "eku=serverAuth,clientAuth",
                        "-storetype",
                        "PKCS12",
                        "-keystore",
                        store.toString(),
                        "-storepass",
                        PASSWORD)
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        if (keytool.waitFor() != 0) {
            throw new IOException("keytool made no certificate for " + names);
        }
        KeyStore keys = KeyStore.getInstance("PKCS12");
        try (InputStream in = Files.newInputStream(store)) {
            keys.load(in, PASSWORD.toCharArray());
        }
        writePem(certificate, "CERTIFICATE", keys.getCertificate("me").getEncoded());
        writePem(key, "PRIVATE KEY", keys.getKey("me", PASSWORD.toCharArray()).getEncoded());
    }

    private static void writePem(Path file, String what, byte[] content) throws IOException {
        String body = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(content);
        Files.writeString(file, "-----BEGIN " + what + "-----\n" + body + "\n-----END " + what + "-----\n");
    }
}
