package io.argosy.server.aggregation;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.GroupVersion;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** OpenAPI of other servers, where one of them never answers. */
@Timeout(60)
class DocumentsTest {
    private final CountDownLatch never = new CountDownLatch(1);
    private final List<String> asked = new CopyOnWriteArrayList<>();
    private final List<ApiService> registered = new ArrayList<>(List.of(service("silent"), service("open")));

    private final Documents documents = new Documents(new Documents.Servers() {
        @Override
        public List<ApiService> services() {
            return List.copyOf(registered);
        }

        @Override
        public boolean isAvailable(ApiService service) {
            return true;
        }

        @Override
        public Collected ask(ApiService service, Question question) throws IOException {
            asked.add(service.service() + " " + question.target());
            if (service.service().equals("silent")) {
                try {
                    never.await();
                } catch (InterruptedException end) {
                    Thread.currentThread().interrupt();
                }
                throw new IOException("never");
            }
            try (Collected answer = new Collected(1 << 20, Question.QUICK)) {
                answer.send(200, Map.of(), List.of(), List.of("""
                        {"paths":{"%s/things":{}},"definitions":{}}""".formatted(service.root())
                        .getBytes(StandardCharsets.UTF_8)));
                return answer;
            }
        }
    });

    private static ApiService service(String name) {
        return new ApiService(
                "v1." + name, new GroupVersion(name + ".example.com", "v1"), 1, 1, "ns", name, 443, "", true, true);
    }

    /** Waits until so many servers have told of themselves. */
    private List<ObjectNode> told(int servers) {
        List<ObjectNode> told = documents.v2();
        while (told.size() != servers) {
            told = documents.v2();
        }
        return told;
    }

    @Test
    void whoDoesNotAnswerHoldsUpNobody() {
        assertThat(told(1).getFirst().path("paths").has("/apis/open.example.com/v1/things"))
                .isTrue();
        assertThat(documents.v3()).isEmpty();
        assertThat(documents.v2()).isSameAs(documents.v2());
        assertThat(asked)
                .as("each is asked once for each document")
                .containsExactlyInAnyOrder(
                        "silent /openapi/v2", "open /openapi/v2", "silent /openapi/v3", "open /openapi/v3");
    }

    @Test
    void aRegistrationThatIsGoneIsForgotten() {
        registered.removeFirst();
        told(1);
        ApiService open = registered.removeFirst();
        assertThat(documents.v2()).isEmpty();
        registered.add(open);
        told(1);
        assertThat(asked).containsExactly("open /openapi/v2", "open /openapi/v2");
    }
}
