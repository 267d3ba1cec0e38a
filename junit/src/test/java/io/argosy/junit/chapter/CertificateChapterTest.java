package io.argosy.junit.chapter;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.junit.ArgosyTest;
import io.argosy.junit.Cluster;
import io.fabric8.kubernetes.api.model.certificates.v1.CertificateSigningRequest;
import io.fabric8.kubernetes.api.model.certificates.v1.CertificateSigningRequestBuilder;
import io.fabric8.kubernetes.api.model.certificates.v1.CertificateSigningRequestConditionBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.io.ByteArrayInputStream;
import java.io.StringWriter;
import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.cert.CertificateFactory;
import java.security.cert.X509Certificate;
import java.time.Duration;
import java.util.Base64;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.pkcs.jcajce.JcaPKCS10CertificationRequestBuilder;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** From the request for a certificate to the certificate, and to the end of the request. */
@ArgosyTest
@Timeout(120)
class CertificateChapterTest {
    private final Cluster cluster;
    private final KubernetesClient client;
    private KeyPair keys;

    CertificateChapterTest(Cluster cluster, KubernetesClient client) {
        this.cluster = cluster;
        this.client = client;
    }

    @BeforeEach
    void makeKeys() throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(256);
        keys = generator.generateKeyPair();
    }

    private void ask(String name, String signer, String subject, Integer seconds) throws Exception {
        StringWriter text = new StringWriter();
        try (JcaPEMWriter pem = new JcaPEMWriter(text)) {
            pem.writeObject(new JcaPKCS10CertificationRequestBuilder(new X500Name(subject), keys.getPublic())
                    .build(new JcaContentSignerBuilder("SHA256withECDSA").build(keys.getPrivate())));
        }
        client.resource(new CertificateSigningRequestBuilder()
                        .withNewMetadata()
                        .withName(name)
                        .endMetadata()
                        .withNewSpec()
                        .withSignerName("kubernetes.io/" + signer)
                        .withUsages("client auth", "digital signature")
                        .withExpirationSeconds(seconds)
                        .withRequest(Base64.getEncoder()
                                .encodeToString(text.toString().getBytes(StandardCharsets.US_ASCII)))
                        .endSpec()
                        .build())
                .create();
        cluster.awaitIdle();
    }

    private CertificateSigningRequest get(String name) {
        return client.certificates()
                .v1()
                .certificateSigningRequests()
                .withName(name)
                .get();
    }

    private void approve(String name) {
        client.certificates()
                .v1()
                .certificateSigningRequests()
                .withName(name)
                .approve(new CertificateSigningRequestConditionBuilder()
                        .withType("Approved")
                        .withStatus("True")
                        .withReason("KubectlApprove")
                        .build());
        cluster.awaitIdle();
    }

    private static X509Certificate certificate(byte[] pem) throws Exception {
        return (X509Certificate)
                CertificateFactory.getInstance("X.509").generateCertificate(new ByteArrayInputStream(pem));
    }

    @Test
    void anApprovedRequestIsSignedByTheClustersAuthorityAndForgottenAfterAnHour() throws Exception {
        ask("jane", "kube-apiserver-client", "CN=jane,O=dev", 3600);
        assertThat(get("jane").getStatus().getConditions()).isEmpty();
        assertThat(get("jane").getStatus().getCertificate()).isNull();
        approve("jane");
        X509Certificate issued =
                certificate(Base64.getDecoder().decode(get("jane").getStatus().getCertificate()));
        X509Certificate authority = certificate(client.configMaps()
                .withName("kube-root-ca.crt")
                .get()
                .getData()
                .get("ca.crt")
                .getBytes(StandardCharsets.US_ASCII));
        issued.verify(authority.getPublicKey());
        assertThat(issued.getPublicKey()).isEqualTo(keys.getPublic());
        assertThat(issued.getSubjectX500Principal().getName())
                .contains("CN=jane")
                .contains("O=dev");
        assertThat(issued.getExtendedKeyUsage()).containsExactly("1.3.6.1.5.5.7.3.2");
        assertThat(issued.getNotAfter().toInstant()).isEqualTo(cluster.now().plus(Duration.ofHours(1)));
        cluster.advance(Duration.ofMinutes(59));
        assertThat(get("jane")).isNotNull();
        cluster.advance(Duration.ofMinutes(2));
        assertThat(get("jane")).isNull();
    }

    @Test
    void aNodesRequestForItselfIsApprovedByTheCluster() throws Exception {
        ask("node", "kube-apiserver-client-kubelet", "CN=system:node:n9,O=system:nodes", null);
        assertThat(get("node").getStatus().getConditions())
                .anyMatch(condition -> condition.getType().equals("Approved")
                        && condition.getReason().equals("AutoApproved"));
        assertThat(get("node").getStatus().getCertificate()).isNotEmpty();
    }

    @Test
    void whatASignerDoesNotSignFailsAndSaysWhy() throws Exception {
        ask("odd", "kubelet-serving", "CN=system:node:n9,O=system:nodes", null);
        approve("odd");
        assertThat(get("odd").getStatus().getConditions())
                .anyMatch(condition -> condition.getType().equals("Failed")
                        && condition.getReason().equals("SignerValidationFailure")
                        && condition.getMessage().equals("DNS or IP subjectAltName is required"));
        assertThat(get("odd").getStatus().getCertificate()).isNull();
    }

    @Test
    void whatNobodyLooksAtIsForgottenAfterADay() throws Exception {
        ask("forgotten", "kube-apiserver-client", "CN=jane", null);
        cluster.advance(Duration.ofHours(23));
        assertThat(get("forgotten")).isNotNull();
        cluster.advance(Duration.ofHours(2));
        assertThat(get("forgotten")).isNull();
    }
}
