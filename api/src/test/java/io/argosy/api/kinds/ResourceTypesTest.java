package io.argosy.api.kinds;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.api.GroupVersion;
import io.argosy.api.GroupVersionKind;
import io.argosy.api.schema.Schemas;
import java.util.List;
import org.junit.jupiter.api.Test;

class ResourceTypesTest {
    private final ResourceTypes types = ResourceTypes.builtIn();

    @Test
    void podsHaveTheSubresourcesOfDiscovery() {
        ResourceType pods = find("v1", "pods");

        assertThat(pods.kind()).isEqualTo("Pod");
        assertThat(pods.singular()).isEqualTo("pod");
        assertThat(pods.shortNames()).containsExactly("po");
        assertThat(pods.categories()).containsExactly("all");
        assertThat(pods.namespaced()).isTrue();
        assertThat(pods.verbs())
                .containsExactly("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch");
        assertThat(pods.subresources())
                .extracting(ResourceType.Subresource::name)
                .containsExactly(
                        "attach",
                        "binding",
                        "ephemeralcontainers",
                        "eviction",
                        "exec",
                        "log",
                        "portforward",
                        "proxy",
                        "resize",
                        "status");
        assertThat(pods.subresource("eviction").kind()).isEqualTo(GroupVersionKind.of("policy/v1", "Eviction"));
        assertThat(pods.subresource("eviction").verbs()).containsExactly("create");
        assertThat(pods.subresource("exec").kind()).isEqualTo(GroupVersionKind.of("v1", "PodExecOptions"));
        assertThat(pods.subresource("status").kind()).isEqualTo(GroupVersionKind.of("v1", "Pod"));
        assertThat(pods.subresource("nothing")).isNull();
    }

    @Test
    void subresourcesOfOtherGroupsNameTheirKind() {
        assertThat(find("apps/v1", "deployments").subresource("scale").kind())
                .isEqualTo(GroupVersionKind.of("autoscaling/v1", "Scale"));
        assertThat(find("v1", "serviceaccounts").subresource("token").kind())
                .isEqualTo(GroupVersionKind.of("authentication.k8s.io/v1", "TokenRequest"));
    }

    @Test
    void someResourcesCannotDoEverything() {
        assertThat(find("v1", "namespaces").can("deletecollection")).isFalse();
        assertThat(find("v1", "componentstatuses").verbs()).containsExactly("get", "list");
        assertThat(find("authorization.k8s.io/v1", "subjectaccessreviews").verbs())
                .containsExactly("create");
    }

    @Test
    void groupsComeByPriorityAndVersionsByPreference() {
        assertThat(types.groups()).startsWith("", "apiregistration.k8s.io", "apps", "events.k8s.io");
        assertThat(types.groups()).endsWith("extensions", "settings.k8s.io");
        assertThat(types.versions("autoscaling"))
                .containsExactly(new GroupVersion("autoscaling", "v2"), new GroupVersion("autoscaling", "v1"));
        assertThat(types.versions("apps"))
                .extracting(GroupVersion::version)
                .containsExactly("v1", "v1beta2", "v1beta1");
        assertThat(types.versions("no.such.group")).isEmpty();
    }

    @Test
    void oldVersionsAreStoredAsCurrentOnes() {
        ResourceType old = find("extensions/v1beta1", "deployments");

        assertThat(old.legacy()).isTrue();
        assertThat(types.stored(old)).isEqualTo(find("apps/v1", "deployments"));
        assertThat(old.storageResource())
                .isEqualTo(find("apps/v1", "deployments").groupResource());
        assertThat(types.stored(find("extensions/v1beta1", "ingresses")).group())
                .isEqualTo("networking.k8s.io");
        assertThat(types.stored(find("autoscaling/v1", "horizontalpodautoscalers"))
                        .version())
                .isEqualTo("v2");
        assertThat(types.stored(find("events.k8s.io/v1", "events")).group()).isEmpty();
    }

    @Test
    void everyResourceIsStoredInAVersionThatIsServed() {
        assertThat(types.all())
                .allSatisfy(
                        type -> assertThat(types.stored(type).storedAsServed()).isTrue());
    }

    @Test
    void everyKindHasASchemaAndEveryListableKindOneForItsList() {
        Schemas schemas = Schemas.builtIn();
        for (ResourceType type : types.all()) {
            assertThat(schemas.find(type.groupVersionKind()))
                    .as("%s", type.groupVersionKind())
                    .isPresent();
            assertThat(schemas.find(type.listKind()).isPresent())
                    .as("%s", type.listKind())
                    .isEqualTo(type.can("list"));
        }
    }

    @Test
    void noLegacyVersionComesBeforeACurrentOneOfItsGroup() {
        for (String group : types.groups()) {
            List<Boolean> legacy = types.versions(group).stream()
                    .map(version -> types.in(version).getFirst().legacy())
                    .toList();
            assertThat(legacy).isSorted();
        }
    }

    @Test
    void kindsAreFoundByName() {
        assertThat(types.find(GroupVersionKind.of("batch/v1", "CronJob")))
                .map(ResourceType::plural)
                .contains("cronjobs");
        assertThat(types.find(GroupVersionKind.of("batch/v2", "CronJob"))).isEmpty();
    }

    private ResourceType find(String apiVersion, String plural) {
        return types.find(GroupVersion.parse(apiVersion), plural).orElseThrow();
    }
}
