package io.argosy.server.certificates;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.server.TestClient;
import io.argosy.server.TestClient.Reply;
import io.argosy.server.TestServer;
import java.io.StringWriter;
import java.math.BigInteger;
import java.net.http.HttpClient.Version;
import java.nio.charset.StandardCharsets;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.util.Base64;
import java.util.Date;
import javax.security.auth.x500.X500Principal;
import org.bouncycastle.asn1.x500.X500Name;
import org.bouncycastle.cert.jcajce.JcaX509v3CertificateBuilder;
import org.bouncycastle.openssl.jcajce.JcaPEMWriter;
import org.bouncycastle.operator.jcajce.JcaContentSignerBuilder;
import org.bouncycastle.pkcs.jcajce.JcaPKCS10CertificationRequestBuilder;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Requests for certificates, up to the signature: who asks, who approves, who signs, and what nobody may do. */
class SigningRequestTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private static final String PATH = "/apis/certificates.k8s.io/v1/certificatesigningrequests";

    /** In Base64, as it stands in the API. */
    static String request(String subject) throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(256);
        KeyPair keys = generator.generateKeyPair();
        StringWriter text = new StringWriter();
        try (JcaPEMWriter pem = new JcaPEMWriter(text)) {
            pem.writeObject(new JcaPKCS10CertificationRequestBuilder(new X500Name(subject), keys.getPublic())
                    .build(new JcaContentSignerBuilder("SHA256withECDSA").build(keys.getPrivate())));
        }
        return Base64.getEncoder().encodeToString(text.toString().getBytes(StandardCharsets.US_ASCII));
    }

    private static String body(String name, String signer, String subject, String more) throws Exception {
        return "{'metadata':{'name':'" + name + "'},'spec':{'signerName':'" + signer
                + "','usages':['client auth'],'request':'" + request(subject)
                + "','username':'somebody-else','groups':['system:masters']" + more + "}}";
    }

    private static Reply make(String name) throws Exception {
        return SERVER.admin().create(PATH, body(name, "kubernetes.io/kube-apiserver-client", "CN=jane,O=dev", ""));
    }

    private static Reply set(TestClient client, String name, String part, String status) {
        return client.patch(
                PATH + "/" + name + "/" + part, "application/merge-patch+json", "{'status':" + status + "}");
    }

    private static final String APPROVED =
            "{'conditions':[{'type':'Approved','status':'True','reason':'Fine','message':'m'}]}";

    @Test
    void whoAsksIsWrittenDownByTheServer() throws Exception {
        Reply made = make("who");
        assertThat(made.at("/spec/username").asText()).isEqualTo("admin");
        assertThat(made.at("/spec/groups")).extracting(JsonNode::asText).contains("system:masters");
        Reply changed = SERVER.admin()
                .patch(
                        PATH + "/who",
                        "application/merge-patch+json",
                        "{'spec':{'username':'jane'},'status':" + APPROVED + "}")
                .is(200);
        assertThat(changed.at("/spec/username").asText()).isEqualTo("admin");
        assertThat(changed.at("/status/conditions").isMissingNode()).isTrue();
    }

    @Test
    void aVerdictIsGivenOnceByThoseWhoMay() throws Exception {
        make("verdict");
        SERVER.admin()
                .create(
                        "/apis/rbac.authorization.k8s.io/v1/clusterroles",
                        "{'metadata':{'name':'approver'},'rules':[{'apiGroups':['certificates.k8s.io'],"
                                + "'resources':['certificatesigningrequests','certificatesigningrequests/approval'],'verbs':['*']}]}");
        SERVER.admin()
                .create(
                        "/apis/rbac.authorization.k8s.io/v1/clusterrolebindings",
                        "{'metadata':{'name':'approver'},'roleRef':{'apiGroup':'rbac.authorization.k8s.io','kind':'ClusterRole',"
                                + "'name':'approver'},'subjects':[{'kind':'User','name':'joe','apiGroup':'rbac.authorization.k8s.io'}]}");
        TestClient joe = SERVER.client("CN=joe", Version.HTTP_1_1);
        assertThat(set(joe, "verdict", "approval", APPROVED)
                        .is(403)
                        .at("/message")
                        .asText())
                .contains("user not permitted to approve requests with signerName"
                        + " \"kubernetes.io/kube-apiserver-client\"");
        Reply approved = set(SERVER.admin(), "verdict", "approval", APPROVED).is(200);
        assertThat(approved.at("/status/conditions/0/lastUpdateTime").asText()).isNotEmpty();
        assertThat(set(SERVER.admin(), "verdict", "approval", "{'conditions':[]}")
                        .is(422)
                        .at("/message")
                        .asText())
                .contains("updates may not remove a condition of type \"Approved\"");
        Reply both = set(
                SERVER.admin(),
                "verdict",
                "approval",
                "{'conditions':[{'type':'Approved','status':'True'},{'type':'Denied','status':'True'}]}");
        assertThat(both.is(422).at("/message").asText()).contains("mutually exclusive");
    }

    @Test
    void theCertificateIsSetOnceAndKeepsTheVerdict() throws Exception {
        make("signed");
        set(SERVER.admin(), "signed", "approval", APPROVED).is(200);
        String junk = Base64.getEncoder().encodeToString("nothing".getBytes(StandardCharsets.US_ASCII));
        assertThat(set(SERVER.admin(), "signed", "status", "{'certificate':'" + junk + "'}")
                        .causes())
                .containsExactly("status.certificate: Invalid value: \"<certificate data>\": must contain at least one"
                        + " CERTIFICATE PEM block");
        String certificate = certificate();
        Reply signed = set(
                        SERVER.admin(),
                        "signed",
                        "status",
                        "{'certificate':'" + certificate
                                + "','conditions':[{'type':'Approved','status':'True','reason':"
                                + "'Forged'},{'type':'Odd','status':'True'}]}")
                .is(200);
        assertThat(signed.at("/status/conditions/0/reason").asText()).isNotEqualTo("Forged");
        assertThat(signed.at("/status/conditions"))
                .extracting(c -> c.path("type").asText())
                .containsExactly("Approved", "Odd");
        assertThat(set(SERVER.admin(), "signed", "status", "{'certificate':null}")
                        .is(422)
                        .at("/message")
                        .asText())
                .contains("updates may not modify existing certificate content");
    }

    private static String certificate() throws Exception {
        KeyPair keys = KeyPairGenerator.getInstance("Ed25519").generateKeyPair();
        X500Principal name = new X500Principal("CN=a");
        byte[] der = new JcaX509v3CertificateBuilder(
                        name, BigInteger.ONE, new Date(0), new Date(Integer.MAX_VALUE * 1000L), name, keys.getPublic())
                .build(new JcaContentSignerBuilder("Ed25519").build(keys.getPrivate()))
                .getEncoded();
        return armoured("CERTIFICATE", der);
    }

    private static String armoured(String type, byte[] content) {
        String text = "-----BEGIN " + type + "-----\n" + Base64.getMimeEncoder().encodeToString(content) + "\n-----END "
                + type + "-----\n";
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.US_ASCII));
    }

    @Test
    void aSignerGivesNoVerdictAndHandsOutNoKeys() throws Exception {
        make("signers");
        assertThat(set(SERVER.admin(), "signers", "status", APPROVED).causes())
                .containsExactly("status.conditions: Forbidden: updates may not add a condition of type \"Approved\"");
        set(SERVER.admin(), "signers", "approval", APPROVED).is(200);
        assertThat(set(SERVER.admin(), "signers", "status", "{'conditions':[{'type':'Odd','status':'True'}]}")
                        .causes())
                .containsExactly(
                        "status.conditions: Forbidden: updates may not remove a condition of type \"Approved\"");
        String key = armoured("PRIVATE KEY", new byte[] {1});
        assertThat(set(SERVER.admin(), "signers", "status", "{'certificate':'" + key + "'}")
                        .causes())
                .containsExactly(
                        "status.certificate: Invalid value: \"<certificate data>\": only CERTIFICATE PEM blocks"
                                + " are allowed, found \"PRIVATE KEY\"");
    }

    @Test
    void nobodyAsksTheirWayIntoTheMasters() throws Exception {
        Reply refused = SERVER.admin()
                .post(PATH, body("masters", "kubernetes.io/kube-apiserver-client", "CN=eve,O=system:masters", ""));
        assertThat(refused.is(403).at("/message").asText())
                .contains("use of kubernetes.io/kube-apiserver-client signer with system:masters group is not allowed");
    }

    @Test
    void aRequestMayBeCalledAnythingThatAPathTakes() throws Exception {
        Reply made = SERVER.admin().post(PATH, body("Jane_D", "example.com/mine", "CN=jane", ""));
        assertThat(made.is(201).at("/status")).hasToString("{}");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '~',
            value = {
                "'request':'bm90aGluZw==' | spec.request: Invalid value: \"bm90aGluZw==\": PEM block type must be"
                        + " CERTIFICATE REQUEST",
                "'request':'' | spec.request: Invalid value",
                "'signerName':'kubernetes.io/legacy-unknown' | spec.signerName: Invalid value:"
                        + " \"kubernetes.io/legacy-unknown\": the legacy signerName is not allowed via this API version",
                "'signerName':'odd' | must be a fully qualified domain and path of the form 'example.com/signer-name'",
                "'signerName':'Odd/a_b' | spec.signerName: Invalid value: \"Odd\": validating label \"Odd\": a lowercase"
                        + " RFC 1123 label must consist of",
                "'signerName':'odd/a_b' | spec.signerName: Invalid value: \"odd\": should be a domain with at least two"
                        + " segments separated by dots, spec.signerName: Invalid value: \"a_b\": validating label"
                        + " \"a_b\": a lowercase RFC 1123 subdomain",
                "'usages':[] | spec.usages: Required value",
                "'usages':['flying','flying'] | spec.usages[1]: Duplicate value: \"flying\"",
                "'usages':['flying'] | spec.usages[0]: Unsupported value: \"flying\"",
                "'usages':['any','any'] | spec.usages[1]: Duplicate value: \"any\"",
                "'expirationSeconds':599 | may not specify a duration less than 600 seconds (10 minutes)",
            })
    void nonsenseIsRefused(String field, String error) throws Exception {
        String name = field.substring(1, field.indexOf('\'', 1));
        String spec = "'signerName':'example.com/mine','usages':['client auth'],'request':'" + request("CN=jane") + "'";
        String without =
                spec.replaceAll("'" + name + "':(\\[[^]]*]|'[^']*'),?", "").replaceAll(",$", "");
        Reply refused = SERVER.admin().post(PATH, "{'metadata':{'name':'odd'},'spec':{" + without + "," + field + "}}");
        assertThat(refused.is(422).at("/message").asText()).contains(error);
    }
}
