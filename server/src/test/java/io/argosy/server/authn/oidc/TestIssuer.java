package io.argosy.server.authn.oidc;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpsConfigurator;
import com.sun.net.httpserver.HttpsServer;
import io.argosy.api.json.Json;
import java.io.IOException;
import java.math.BigInteger;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.security.Signature;
import java.security.interfaces.ECPublicKey;
import java.security.interfaces.RSAPublicKey;
import java.security.spec.ECGenParameterSpec;
import java.util.Base64;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import javax.net.ssl.SSLContext;

/** An issuer of tokens over real HTTPS, with keys that come and go. */
final class TestIssuer implements AutoCloseable {
    private static final Base64.Encoder BASE64 = Base64.getUrlEncoder().withoutPadding();

    /** By name: making one takes longer than the tests that use it. */
    private static final Map<String, KeyPair> MADE = new ConcurrentHashMap<>();

    private final HttpsServer server;
    private final Map<String, KeyPair> keys = new ConcurrentHashMap<>();
    final AtomicInteger asked = new AtomicInteger();
    volatile int status = 200;
    volatile String claimedIssuer;

    TestIssuer(SSLContext identity) throws IOException {
        server = HttpsServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        server.setHttpsConfigurator(new HttpsConfigurator(identity));
        server.createContext("/.well-known/openid-configuration", this::discovery);
        server.createContext("/keys", this::keys);
        server.start();
        claimedIssuer = url();
    }

    String url() {
        return "https://127.0.0.1:" + server.getAddress().getPort();
    }

    private void discovery(HttpExchange exchange) throws IOException {
        asked.incrementAndGet();
        answer(exchange, Json.object().put("issuer", claimedIssuer).put("jwks_uri", url() + "/keys"));
    }

    private void keys(HttpExchange exchange) throws IOException {
        ObjectNode document = Json.object();
        ArrayNode list = document.putArray("keys");
        keys.forEach((id, pair) -> list.add(jwk(id, pair)));
        list.addObject().put("kty", "OKP").put("kid", "unknown-kind");
        answer(exchange, document);
    }

    private void answer(HttpExchange exchange, ObjectNode document) throws IOException {
        try (exchange) {
            byte[] body = Json.encode(document);
            exchange.sendResponseHeaders(status, body.length);
            exchange.getResponseBody().write(body);
        }
    }

    private static ObjectNode jwk(String id, KeyPair pair) {
        ObjectNode jwk = Json.object().put("kid", id).put("use", "sig");
        if (pair.getPublic() instanceof RSAPublicKey rsa) {
            return jwk.put("kty", "RSA").put("n", number(rsa.getModulus())).put("e", number(rsa.getPublicExponent()));
        }
        ECPublicKey curve = (ECPublicKey) pair.getPublic();
        return jwk.put("kty", "EC")
                .put("crv", "P-256")
                .put("x", number(curve.getW().getAffineX()))
                .put("y", number(curve.getW().getAffineY()));
    }

    private static String number(BigInteger value) {
        byte[] bytes = value.toByteArray();
        int skip = bytes.length > 1 && bytes[0] == 0 ? 1 : 0;
        return BASE64.encodeToString(java.util.Arrays.copyOfRange(bytes, skip, bytes.length));
    }

    void addRsaKey(String id) throws GeneralSecurityException {
        KeyPair pair = MADE.get(id);
        if (pair == null) {
            KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
            generator.initialize(2048);
            pair = generator.generateKeyPair();
            MADE.put(id, pair);
        }
        keys.put(id, pair);
    }

    void addCurveKey(String id) throws GeneralSecurityException {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("EC");
        generator.initialize(new ECGenParameterSpec("secp256r1"));
        keys.put(id, generator.generateKeyPair());
    }

    KeyPair key(String id) {
        return keys.get(id);
    }

    void removeKey(String id) {
        keys.remove(id);
    }

    String token(String id, String algorithm, ObjectNode claims) throws GeneralSecurityException {
        return token(keys.get(id), id, algorithm, claims);
    }

    static String token(KeyPair pair, String id, String algorithm, ObjectNode claims) throws GeneralSecurityException {
        ObjectNode header = Json.object().put("alg", algorithm).put("kid", id);
        String content = BASE64.encodeToString(Json.encode(header)) + "." + BASE64.encodeToString(Json.encode(claims));
        Signature signature =
                Signature.getInstance(algorithm.startsWith("ES") ? "SHA256withECDSAinP1363Format" : "SHA256withRSA");
        signature.initSign(pair.getPrivate());
        signature.update(content.getBytes(StandardCharsets.US_ASCII));
        return content + "." + BASE64.encodeToString(signature.sign());
    }

    @Override
    public void close() {
        server.stop(0);
    }
}
