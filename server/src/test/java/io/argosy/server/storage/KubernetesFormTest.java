package io.argosy.server.storage;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.json.Json;
import io.argosy.api.protobuf.Envelope;
import java.util.HexFormat;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Objects in etcd are what upstream's API server keeps there. */
class KubernetesFormTest {
    private final KubernetesForm form = new KubernetesForm();

    private static byte[] json(String text) {
        return text.replace('\'', '"').getBytes(UTF_8);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'kind':'Pod','apiVersion':'v1','metadata':{'name':'p','namespace':'n','uid':'u'},"
                        + "'spec':{'containers':[{'name':'c','image':'i','resources':{'limits':{'cpu':'100m'}}}],"
                        + "'volumes':[{'name':'v','emptyDir':{}}]},'status':{'phase':'Pending'}}",
                "{'kind':'Secret','apiVersion':'v1','metadata':{'name':'s'},'data':{'k':'AAEC'},'type':'Opaque'}",
                "{'kind':'Deployment','apiVersion':'apps/v1','metadata':{'name':'d','generation':1},'spec':{'replicas':0,"
                        + "'selector':{'matchLabels':{'a':'b'}},'template':{'metadata':{'labels':{'a':'b'}},'spec':{}},"
                        + "'strategy':{'type':'RollingUpdate','rollingUpdate':{'maxUnavailable':'25%','maxSurge':1}}},"
                        + "'status':{}}",
                "{'kind':'Lease','apiVersion':'coordination.k8s.io/v1','metadata':{'name':'l'},"
                        + "'spec':{'holderIdentity':'h','renewTime':'2026-11-15T10:00:00.123456Z'}}",
                "{'kind':'HorizontalPodAutoscaler','apiVersion':'autoscaling/v2','metadata':{'name':'h'},"
                        + "'spec':{'maxReplicas':3,'scaleTargetRef':{'apiVersion':'apps/v1','kind':'Deployment','name':'d'}}}"
            })
    void builtInKindsAreProtobufThereAndTheSameJsonHere(String object) {
        byte[] value = json(object);
        byte[] stored = form.toStored("/registry/x", value);
        assertThat(Envelope.isEnveloped(stored)).isTrue();
        JsonNode back = Json.decodeObject(form.fromStored("/registry/x", stored));
        assertThat(back).isEqualTo(Json.decodeObject(value));
        assertThat(new String(form.fromStored("/registry/x", stored), UTF_8)).startsWith("{\"kind\":");
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "{'kind':'CronTab','apiVersion':'stable.example.com/v1','metadata':{'name':'c'},'spec':{'x':1}}",
                "{'kind':'CustomResourceDefinition','apiVersion':'apiextensions.k8s.io/v1','metadata':{'name':'c'}}",
                "{'kind':'APIService','apiVersion':'apiregistration.k8s.io/v1','metadata':{'name':'v1.apps'}}"
            })
    void customKindsAndTheirDefinitionsAreJson(String object) {
        byte[] value = json(object);
        assertThat(form.toStored("/registry/x", value)).isEqualTo(value);
        assertThat(form.fromStored("/registry/x", value)).isEqualTo(value);
    }

    @Test
    void jsonOfOthersIsPutInOrder() {
        byte[] theirs = json("{'apiVersion':'e.com/v1','data':{'metadata':{}},'kind':'K','metadata':{'name':'n'}}\n");
        assertThat(new String(form.fromStored("/registry/e.com/ks/n", theirs), UTF_8))
                .isEqualTo(new String(
                        json("{'kind':'K','apiVersion':'e.com/v1','metadata':{'name':'n'},'data':{'metadata':{}}}"),
                        UTF_8));
    }

    /** Go writes fields that are no pointers also where they are empty. */
    @Test
    void whatGoWritesEmptyIsReadAsNotThere() {
        byte[] serviceAccount = HexFormat.of()
                .parseHex("6b387300" + "0a14" + "0a027631" + "120e536572766963654163636f756e74" + "1214" + "0a12"
                        + "0a0164" + "1200" + "1a016e" + "2200" + "2a00" + "3200" + "3800" + "4200" + "1a00" + "2200");
        assertThat(new String(form.fromStored("/registry/serviceaccounts/n/d", serviceAccount), UTF_8))
                .isEqualTo(
                        "{\"kind\":\"ServiceAccount\",\"apiVersion\":\"v1\",\"metadata\":{\"name\":\"d\",\"namespace\":\"n\"}}");
    }

    @Test
    void otherVersionsAreConvertedToTheStoredOne() {
        byte[] old = form.toStored(
                "/registry/horizontalpodautoscalers/n/h",
                json("{'kind':'HorizontalPodAutoscaler','apiVersion':'autoscaling/v1','metadata':{'name':'h'},"
                        + "'spec':{'maxReplicas':3,'targetCPUUtilizationPercentage':80,"
                        + "'scaleTargetRef':{'apiVersion':'apps/v1','kind':'Deployment','name':'d'}}}"));
        JsonNode read = Json.decodeObject(form.fromStored("/registry/horizontalpodautoscalers/n/h", old));
        assertThat(read.path("apiVersion").asText()).isEqualTo("autoscaling/v2");
        assertThat(read.at("/spec/metrics/0/resource/target/averageUtilization").asInt())
                .isEqualTo(80);
    }

    @Test
    void whatIsNotOursIsLeftAlone() {
        byte[] range = HexFormat.of()
                .parseHex("6b387300" + "0a15" + "0a027631" + "120f52616e6765416c6c6f636174696f6e" + "1200");
        assertThat(form.fromStored("/registry/ranges/servicenodeports", range)).isEqualTo(range);
        assertThat(form.fromStored("compact_rev_key", json("12"))).isEqualTo(json("12"));
        assertThatThrownBy(() -> form.fromStored("/registry/secrets/n/s", json("k8s:enc:aescbc:v1:key1:xyz")))
                .hasMessageContaining("is encrypted by another API server");
        assertThatThrownBy(() -> form.fromStored("/registry/secrets/n/s", json("{'kind'")))
                .hasMessageContaining("/registry/secrets/n/s in etcd cannot be read");
    }
}
