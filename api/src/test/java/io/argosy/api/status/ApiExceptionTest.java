package io.argosy.api.status;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import io.argosy.api.GroupResource;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Refusals in the API's own form. */
class ApiExceptionTest {
    private static final GroupResource DEPLOYMENTS = new GroupResource("apps", "deployments");

    @Test
    void refusalsAreWordedAsKubernetesWordsThem() {
        assertThat(ApiException.notFound(DEPLOYMENTS, "d")).hasMessage("deployments.apps \"d\" not found");
        assertThat(ApiException.alreadyExists(DEPLOYMENTS, "d")).hasMessage("deployments.apps \"d\" already exists");
        assertThat(ApiException.conflict(DEPLOYMENTS, "d", "no"))
                .hasMessage("Operation cannot be fulfilled on deployments.apps \"d\": no");
        assertThat(ApiException.forbidden(DEPLOYMENTS, "", "no")).hasMessage("deployments.apps is forbidden: no");
    }

    @Test
    void oneErrorStandsAloneAndSeveralInBrackets() {
        FieldErrors errors = new FieldErrors();
        errors.required("spec.a", "");
        assertThat(ApiException.invalid("apps", "Deployment", "d", errors.causes()))
                .hasMessage("Deployment.apps \"d\" is invalid: spec.a: Required value");
        errors.invalid("spec.b", "x", "must be y");
        errors.notSupported("spec.c", "z", List.of("p", "q"));
        errors.duplicate("spec.d", 5);
        assertThat(ApiException.invalid("", "Pod", "p", errors.causes()))
                .hasMessage(
                        "Pod \"p\" is invalid: [spec.a: Required value, spec.b: Invalid value: \"x\": must be y, spec.c:"
                                + " Unsupported value: \"z\": supported values: \"p\", \"q\", spec.d: Duplicate value: 5]");
    }

    @ParameterizedTest
    @EnumSource(Reason.class)
    void aStatusReadsBackAsTheSameRefusal(Reason reason) {
        ApiException.Details details = ApiException.Details.of(DEPLOYMENTS, "d")
                .withCauses(List.of(new Cause("FieldValueRequired", "Required value", "spec")))
                .withRetryAfter(3);
        ApiException read = ApiException.fromStatus(new ApiException(reason, "why", details).toStatus(), 500);
        assertThat(read.reason()).isEqualTo(reason);
        assertThat(read.code()).isEqualTo(reason.code());
        assertThat(read).hasMessage("why");
        assertThat(read.details()).isEqualTo(details);
    }

    @Test
    void aTokenToGoOnStandsInTheMetadata() {
        JsonNode status =
                new ApiException(Reason.Expired, "old").withContinue("token").toStatus();
        assertThat(status.at("/metadata/continue").asText()).isEqualTo("token");
        assertThat(status.path("code").asInt()).isEqualTo(410);
        assertThat(new ApiException(Reason.Expired, "old").toStatus().path("metadata"))
                .isEmpty();
    }
}
