package io.argosy.cluster.pki;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.bouncycastle.asn1.x509.BasicConstraints;
import org.bouncycastle.asn1.x509.ExtendedKeyUsage;
import org.bouncycastle.asn1.x509.Extension;
import org.bouncycastle.asn1.x509.KeyPurposeId;
import org.bouncycastle.asn1.x509.KeyUsage;
import org.bouncycastle.cert.CertIOException;
import org.bouncycastle.cert.X509v3CertificateBuilder;

/** What certificates may be used for, as the API calls it and as certificates write it. */
final class Usages {
    private static final Map<String, Integer> KEYS = Map.ofEntries(
            Map.entry("signing", KeyUsage.digitalSignature),
            Map.entry("digital signature", KeyUsage.digitalSignature),
            Map.entry("content commitment", KeyUsage.nonRepudiation),
            Map.entry("key encipherment", KeyUsage.keyEncipherment),
            Map.entry("key agreement", KeyUsage.keyAgreement),
            Map.entry("data encipherment", KeyUsage.dataEncipherment),
            Map.entry("cert sign", KeyUsage.keyCertSign),
            Map.entry("crl sign", KeyUsage.cRLSign),
            Map.entry("encipher only", KeyUsage.encipherOnly),
            Map.entry("decipher only", KeyUsage.decipherOnly));
    private static final Map<String, KeyPurposeId> PURPOSES = Map.ofEntries(
            Map.entry("any", KeyPurposeId.anyExtendedKeyUsage),
            Map.entry("server auth", KeyPurposeId.id_kp_serverAuth),
            Map.entry("client auth", KeyPurposeId.id_kp_clientAuth),
            Map.entry("code signing", KeyPurposeId.id_kp_codeSigning),
            Map.entry("email protection", KeyPurposeId.id_kp_emailProtection),
            Map.entry("s/mime", KeyPurposeId.id_kp_emailProtection),
            Map.entry("ipsec end system", KeyPurposeId.id_kp_ipsecEndSystem),
            Map.entry("ipsec tunnel", KeyPurposeId.id_kp_ipsecTunnel),
            Map.entry("ipsec user", KeyPurposeId.id_kp_ipsecUser),
            Map.entry("timestamping", KeyPurposeId.id_kp_timeStamping),
            Map.entry("ocsp signing", KeyPurposeId.id_kp_OCSPSigning),
            Map.entry("microsoft sgc", KeyPurposeId.id_kp_msSGC),
            Map.entry("netscape sgc", KeyPurposeId.id_kp_nsSGC));

    private Usages() {}

    static void add(X509v3CertificateBuilder builder, List<String> usages) throws CertIOException {
        int keys = 0;
        List<KeyPurposeId> purposes = new ArrayList<>();
        for (String usage : usages) {
            keys |= KEYS.getOrDefault(usage, 0);
            if (PURPOSES.containsKey(usage)) {
                purposes.add(PURPOSES.get(usage));
            }
        }
        builder.addExtension(Extension.basicConstraints, true, new BasicConstraints(false));
        if (keys != 0) {
            builder.addExtension(Extension.keyUsage, true, new KeyUsage(keys));
        }
        if (!purposes.isEmpty()) {
            builder.addExtension(
                    Extension.extendedKeyUsage, false, new ExtendedKeyUsage(purposes.toArray(KeyPurposeId[]::new)));
        }
    }
}
