package io.argosy.api.schema;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.argosy.api.GroupVersionKind;
import io.argosy.api.schema.Field.ListType;
import io.argosy.api.schema.Field.MapType;
import io.argosy.api.schema.Field.PatchStrategy;
import io.argosy.api.schema.ValueType.ListOf;
import io.argosy.api.schema.ValueType.MapOf;
import io.argosy.api.schema.ValueType.Ref;
import io.argosy.api.schema.ValueType.Scalar;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class SchemasTest {
    private final Schemas schemas = Schemas.builtIn();

    @Test
    void aKindIsFoundByNameAndByGroupVersionAndKind() {
        Schema deployment = kind("apps/v1", "Deployment");

        assertThat(deployment.name()).isEqualTo("io.k8s.api.apps.v1.Deployment");
        assertThat(deployment.kinds()).containsExactly(GroupVersionKind.of("apps/v1", "Deployment"));
        assertThat(schemas.find("io.k8s.api.apps.v1.Deployment")).containsSame(deployment);
        assertThat(deployment.fields())
                .extracting(Field::name)
                .containsExactly("apiVersion", "kind", "metadata", "spec", "status");
        assertThat(schemas.find("io.k8s.api.apps.v1.Nothing")).isEmpty();
        assertThat(schemas.find(GroupVersionKind.of("apps/v1", "Nothing"))).isEmpty();
    }

    @Test
    void namesComeInOrderAndEveryReferenceResolves() {
        assertThat(schemas.all()).extracting(Schema::name).isSorted().doesNotHaveDuplicates();
        assertThat(schemas.all()).hasSizeGreaterThan(600);
        for (Schema schema : schemas.all()) {
            assertThat(schema.fields()).extracting(Field::name).isSorted();
            for (Field field : schema.fields()) {
                Schema element = field.elementSchema();
                if (element != null) {
                    assertThat(schemas.find(element.name())).containsSame(element);
                }
            }
        }
    }

    @ParameterizedTest
    @CsvSource({
        "PodSpec, containers, name, name",
        "PodSpec, initContainers, name, name",
        "PodSpec, volumes, name, name",
        "PodSpec, imagePullSecrets, name, name",
        "PodSpec, hostAliases, ip, ip",
        "Container, env, name, name",
        "Container, ports, containerPort, containerPort+protocol",
        "Container, volumeMounts, mountPath, mountPath",
        "ServiceSpec, ports, port, port+protocol",
        "PodStatus, conditions, type, type",
        "NodeStatus, conditions, type, type",
        "ServiceAccount, secrets, name, name"
    })
    void listsMergeByTheirKeys(String type, String name, String mergeKey, String mapKeys) {
        Field field = core(type).field(name);

        assertThat(field.patchStrategies()).contains(PatchStrategy.MERGE);
        assertThat(field.patchMergeKey()).isEqualTo(mergeKey);
        assertThat(field.listType()).isEqualTo(ListType.MAP);
        assertThat(field.listMapKeys()).containsExactlyInAnyOrder(mapKeys.split("\\+", -1));
    }

    @Test
    void volumesRetainOnlyTheGivenKeys() {
        assertThat(core("PodSpec").field("volumes").patchStrategies())
                .containsExactlyInAnyOrder(PatchStrategy.MERGE, PatchStrategy.RETAIN_KEYS);
        assertThat(type("io.k8s.api.apps.v1.DeploymentSpec").field("strategy").patchStrategies())
                .containsExactly(PatchStrategy.RETAIN_KEYS);
    }

    @Test
    void tolerationsAndCommandsAreReplacedAsAWhole() {
        for (Field field :
                List.of(core("PodSpec").field("tolerations"), core("Container").field("command"))) {
            assertThat(field.listType()).isEqualTo(ListType.ATOMIC);
            assertThat(field.patchStrategies()).isEmpty();
            assertThat(field.patchMergeKey()).isNull();
        }
    }

    @Test
    void finalizersAreASet() {
        Field finalizers =
                type("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta").field("finalizers");

        assertThat(finalizers.listType()).isEqualTo(ListType.SET);
        assertThat(finalizers.patchStrategies()).containsExactly(PatchStrategy.MERGE);
        assertThat(finalizers.patchMergeKey()).isNull();
    }

    @Test
    void selectorsAreAtomicWhereverTheyAreUsed() {
        assertThat(type("io.k8s.apimachinery.pkg.apis.meta.v1.LabelSelector").mapType())
                .isEqualTo(MapType.ATOMIC);
        assertThat(core("ServiceSpec").field("selector").mapType()).isEqualTo(MapType.ATOMIC);
        assertThat(core("PodSpec").field("nodeSelector").mapType()).isEqualTo(MapType.ATOMIC);
        assertThat(core("PersistentVolumeSpec").field("claimRef").mapType()).isEqualTo(MapType.GRANULAR);
    }

    @Test
    void typesTellJsonFormats() {
        Schema meta = type("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta");

        assertThat(meta.field("generation").type()).isEqualTo(Scalar.INT64);
        assertThat(meta.field("labels").type()).isEqualTo(new MapOf(Scalar.STRING));
        assertThat(meta.field("creationTimestamp").elementSchema().form()).isEqualTo(Schema.Form.TIME);
        assertThat(core("ServicePort").field("port").type()).isEqualTo(Scalar.INT32);
        assertThat(core("ServicePort").field("targetPort").elementSchema().form())
                .isEqualTo(Schema.Form.INT_OR_STRING);
        assertThat(core("Secret").field("data").type()).isEqualTo(new MapOf(Scalar.BYTES));
        assertThat(core("ResourceRequirements").field("limits").elementSchema().form())
                .isEqualTo(Schema.Form.QUANTITY);
        assertThat(type("io.k8s.apimachinery.pkg.apis.meta.v1.ManagedFieldsEntry")
                        .field("fieldsV1")
                        .elementSchema()
                        .form())
                .isEqualTo(Schema.Form.FIELD_SET);
        assertThat(type("io.k8s.api.apps.v1.ControllerRevision")
                        .field("data")
                        .elementSchema()
                        .form())
                .isEqualTo(Schema.Form.RAW_OBJECT);
        assertThat(type("io.k8s.api.coordination.v1.LeaseSpec")
                        .field("renewTime")
                        .elementSchema()
                        .form())
                .isEqualTo(Schema.Form.MICRO_TIME);
        assertThat(type("io.k8s.api.authentication.v1.UserInfo").field("extra").type())
                .isEqualTo(new MapOf(new ListOf(Scalar.STRING, true)));
    }

    @Test
    void requiredFieldsAreKnown() {
        assertThat(core("PodSpec").fields())
                .filteredOn(Field::required)
                .extracting(Field::name)
                .containsExactly("containers");
        assertThat(type("io.k8s.api.apps.v1.DeploymentSpec").fields())
                .filteredOn(Field::required)
                .extracting(Field::name)
                .containsExactly("selector", "template");
    }

    @Test
    void defaultsAreJson() {
        assertThat(core("ServicePort").field("protocol").defaultValue()).isEqualTo("\"TCP\"");
        assertThat(core("Container").field("name").defaultValue()).isNull();
    }

    @Test
    void jsonSchemasContainThemselves() {
        Schema schema = type("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1.JSONSchemaProps");

        assertThat(schema.field("properties").elementSchema()).isSameAs(schema);
        assertThat(schema.field("$ref").protobuf().number()).isEqualTo(3);
        assertThat(schema.field("x-kubernetes-preserve-unknown-fields").type()).isEqualTo(Scalar.BOOLEAN);
        Schema items = schema.field("items").elementSchema();
        assertThat(items.form()).isEqualTo(Schema.Form.SCHEMA_OR_ARRAY);
        assertThat(items.protobuf().field(1).elementSchema()).isSameAs(schema);
    }

    @Test
    void protobufNumbersAreThoseOfTheWire() {
        Schema pod = core("Pod");
        assertThat(pod.field("metadata").protobuf().number()).isEqualTo(1);
        assertThat(pod.protobuf().field(2)).isSameAs(pod.field("spec"));
        assertThat(pod.protobuf().highest()).isEqualTo(3);
        assertThat(pod.protobuf().field(99)).isNull();
        assertThat(pod.field("kind").protobuf()).isNull();
        assertThat(type("io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta")
                        .field("uid")
                        .protobuf()
                        .number())
                .isEqualTo(5);
    }

    @Test
    void inlinedFieldsTellTheWayThroughTheirMessages() {
        assertThat(core("Volume").field("hostPath").protobuf()).isEqualTo(new Field.Protobuf(1, List.of(2)));
        ProtobufMessage volume = core("Volume").protobuf();
        assertThat(volume.field(1)).isSameAs(core("Volume").field("name"));
        assertThat(volume.inlined(1)).isNull();
        assertThat(volume.field(2)).isNull();
        assertThat(volume.inlined(2).field(1)).isSameAs(core("Volume").field("hostPath"));
        assertThat(type("io.k8s.api.admissionregistration.v1.NamedRuleWithOperations")
                        .field("apiGroups")
                        .protobuf())
                .isEqualTo(new Field.Protobuf(1, List.of(2, 2)));
        ProtobufMessage named = type("io.k8s.api.admissionregistration.v1.NamedRuleWithOperations")
                .protobuf();
        assertThat(named.inlined(2).field(1).name()).isEqualTo("operations");
        assertThat(named.inlined(2).inlined(2).field(1).name()).isEqualTo("apiGroups");
    }

    @Test
    void whatIsNewerThanTheServedVersionIsLeftOut() {
        assertThat(core("PodSpec").field("schedulingGroup")).isNull();
        assertThat(core("PodSpec").field("workloadRef")).isNotNull();
    }

    @Test
    void oldVersionsHaveSchemas() {
        Schema spec = kind("extensions/v1beta1", "Deployment").field("spec").elementSchema();
        assertThat(spec.field("rollbackTo")).isNotNull();
        assertThat(spec.field("selector").required()).isFalse();
        assertThat(spec.field("template").elementSchema()).isSameAs(core("PodTemplateSpec"));
        Schema rule = type("io.k8s.api.extensions.v1beta1.IngressRule");
        assertThat(rule.fields()).extracting(Field::name).containsExactly("host", "http");
        assertThat(rule.field("http").required()).isFalse();
        assertThat(kind("settings.k8s.io/v1alpha1", "PodPreset")
                        .field("spec")
                        .elementSchema()
                        .fields())
                .extracting(Field::name)
                .containsExactly("env", "envFrom", "selector", "volumeMounts", "volumes");
        assertThat(type("io.k8s.apiextensions-apiserver.pkg.apis.apiextensions.v1beta1.CustomResourceColumnDefinition")
                        .field("JSONPath"))
                .isNotNull();
    }

    @Test
    void typesOfEveryServerAreThere() {
        assertThat(schemas.find(GroupVersionKind.of("v1", "Status"))).isPresent();
        assertThat(schemas.find(GroupVersionKind.of("apps/v1", "DeleteOptions")))
                .isEqualTo(schemas.find(GroupVersionKind.of("v1", "DeleteOptions")));
        assertThat(kind("apiregistration.k8s.io/v1", "APIService").name())
                .isEqualTo("io.k8s.kube-aggregator.pkg.apis.apiregistration.v1.APIService");
        assertThat(kind("meta.k8s.io/v1", "PartialObjectMetadata").published()).isFalse();
        assertThat(kind("v1", "Pod").published()).isTrue();
    }

    @Test
    void descriptionsAreThereForThoseWhoAsk() {
        Schema pod = core("Pod");

        assertThat(pod.description()).startsWith("Pod is a collection of containers that can run on a host.");
        assertThat(pod.description(pod.field("spec"))).startsWith("Specification of the desired behavior of the pod.");
        assertThat(core("Container").description(core("Container").field("args")))
                .startsWith("Arguments to the entrypoint.")
                .doesNotContain("+listType");
        assertThatThrownBy(() -> pod.description(core("Container").field("args")))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("args");
    }

    @Test
    void referencesKnowTheirNameWithoutBeingFollowed() {
        assertThat(core("Pod").field("spec").type())
                .isInstanceOfSatisfying(
                        Ref.class, ref -> assertThat(ref.name()).isEqualTo("io.k8s.api.core.v1.PodSpec"));
    }

    private Schema core(String name) {
        return type("io.k8s.api.core.v1." + name);
    }

    private Schema type(String name) {
        return schemas.find(name).orElseThrow();
    }

    private Schema kind(String apiVersion, String kind) {
        return schemas.find(GroupVersionKind.of(apiVersion, kind)).orElseThrow();
    }
}
