package io.argosy.server.webhook;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.kinds.ResourceType;
import io.argosy.api.status.ApiException;
import io.argosy.server.audit.Audit;
import io.argosy.server.audit.Layer;
import io.argosy.server.authz.Authorizer;
import io.argosy.server.dynamic.Catalogue;
import io.argosy.server.dynamic.Conditions;
import io.argosy.server.dynamic.Mutation;
import io.argosy.server.dynamic.Reinvocation;
import io.argosy.server.dynamic.Scopes;
import io.argosy.server.dynamic.Subject;
import io.argosy.server.dynamic.Subject.Version;
import io.argosy.server.metrics.AdmissionMetrics;
import io.argosy.server.registry.Admission;
import io.argosy.server.registry.Registry;
import io.argosy.server.webhook.AdmissionReviews.Verdict;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.function.Consumer;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks the webhooks that administrators have configured: first those that change objects, one after the other, then those that judge them, all at once. */
public final class WebhookAdmission implements Admission {
    private static final Logger LOG = LoggerFactory.getLogger(WebhookAdmission.class);
    private static final String GROUP = "admissionregistration.k8s.io";

    private final Supplier<Registry> registry;
    private final Authorizer authorizer;
    private final WebhookClient client;
    private final AdmissionMetrics metrics;
    private final Catalogue<Webhook> mutating = new Catalogue<>(Webhook::all);
    private final Catalogue<Webhook> validating = new Catalogue<>(Webhook::all);

    public WebhookAdmission(
            Supplier<Registry> registry, Authorizer authorizer, WebhookClient client, AdmissionMetrics metrics) {
        this.metrics = metrics;
        this.registry = registry;
        this.authorizer = authorizer;
        this.client = client;
    }

    /** Takes note of the configurations, and of every change to them before it is acknowledged. */
    public void follow() {
        mutating.follow(registry.get().store(GROUP, "mutatingwebhookconfigurations"));
        validating.follow(registry.get().store(GROUP, "validatingwebhookconfigurations"));
    }

    @Override
    public void mutate(Review review) {
        List<Webhook> webhooks = mutating.all();
        if (webhooks.isEmpty() || Subject.isExempt(review)) {
            return;
        }
        Reinvocation reinvocation = Reinvocation.of(review, this);
        String round = "round_" + (review.passage().isSecond() ? 1 : 0);
        Subject subject = new Subject(review, registry.get().types());
        for (int i = 0; i < webhooks.size(); i++) {
            Webhook webhook = webhooks.get(i);
            Version version = reinvocation.isDue(webhook.id()) ? concerned(webhook, subject) : null;
            if (version != null) {
                boolean changed = mutate(webhook, subject, version, round + "_index_" + i);
                reinvocation.seen(webhook.id(), webhook.isReinvoked(), changed, review);
            }
        }
        reinvocation.end(review);
    }

    /** True if the object is another one now. */
    private boolean mutate(Webhook webhook, Subject subject, Version version, String turn) {
        boolean changed = false;
        try {
            Verdict verdict = ask(webhook, subject, version);
            tell(webhook, verdict, subject);
            if (!verdict.allowed()) {
                throw AdmissionReviews.denial(webhook.name(), verdict.status());
            }
            if (!verdict.patch().isEmpty()) {
                changed = patch(webhook, subject, version, verdict.patch());
                annotate(subject, "patch.webhook.admission.k8s.io/" + turn, webhook, note -> {
                    note.set("patch", verdict.patch());
                    note.put("patchType", "JSONPatch");
                });
            }
        } catch (CallException failed) {
            failOpenOrThrow(webhook, failed, true);
            subject.review()
                    .options()
                    .annotations()
                    .accept("failed-open.mutation.webhook.admission.k8s.io/" + turn, webhook.name());
        }
        boolean mutated = changed;
        annotate(subject, "mutation.webhook.admission.k8s.io/" + turn, webhook, note -> note.put("mutated", mutated));
        return changed;
    }

    private static boolean patch(Webhook webhook, Subject subject, Version version, JsonNode patch) {
        if (version.object() == null) {
            throw ApiException.internal("admission webhook \"" + webhook.name()
                    + "\" attempted to modify the object, which is not supported for this operation");
        }
        return Mutation.take(subject, version, Mutation.patched(version, patch));
    }

    private static void annotate(Subject subject, String key, Webhook webhook, Consumer<ObjectNode> more) {
        ObjectNode value =
                Json.object().put("configuration", webhook.configuration()).put("webhook", webhook.name());
        more.accept(value);
        String text = new String(Json.encode(value), StandardCharsets.UTF_8);
        subject.review().options().annotations().accept(key, text);
    }

    /** Somebody to be asked, and about what. */
    private record Question(Webhook webhook, Version version, FutureTask<Verdict> answer) {}

    @Override
    public void validate(Review review) {
        List<Webhook> webhooks = validating.all();
        if (webhooks.isEmpty() || Subject.isExempt(review)) {
            return;
        }
        Subject subject = new Subject(review, registry.get().types());
        List<Question> questions = new ArrayList<>();
        for (Webhook webhook : webhooks) {
            Version version = concerned(webhook, subject);
            if (version != null) {
                ObjectNode question = AdmissionReviews.question(subject, version, webhook.reviewVersion());
                questions.add(new Question(
                        webhook,
                        version,
                        new FutureTask<>(() ->
                                answered(webhook, question, review.options().dryRun(), false))));
            }
        }
        if (questions.isEmpty()) {
            return;
        }
        long begin = System.nanoTime();
        if (questions.size() == 1) {
            questions.getFirst().answer().run();
        } else {
            questions.forEach(question -> Thread.ofVirtual()
                    .name("webhook-" + question.webhook().name())
                    .start(question.answer()));
        }
        try {
            decide(questions, subject);
        } finally {
            Audit.spent(Layer.VALIDATING_WEBHOOK, System.nanoTime() - begin);
        }
    }

    /** All are heard; the first refusal counts. */
    private void decide(List<Question> questions, Subject subject) {
        ApiException refusal = null;
        for (int i = 0; i < questions.size(); i++) {
            Webhook webhook = questions.get(i).webhook();
            try {
                Verdict verdict = verdict(questions.get(i));
                tell(webhook, verdict, subject);
                if (!verdict.allowed() && refusal == null) {
                    refusal = AdmissionReviews.denial(webhook.name(), verdict.status());
                }
            } catch (CallException failed) {
                try {
                    failOpenOrThrow(webhook, failed, false);
                    subject.review()
                            .options()
                            .annotations()
                            .accept(
                                    "failed-open.validating.webhook.admission.k8s.io/round_0_index_" + i,
                                    webhook.name());
                } catch (ApiException closed) {
                    refusal = refusal == null ? closed : refusal;
                }
            } catch (ApiException unsupported) {
                refusal = refusal == null ? unsupported : refusal;
            }
        }
        if (refusal != null) {
            throw refusal;
        }
    }

    private static Verdict verdict(Question question) throws CallException {
        try {
            return question.answer().get();
        } catch (ExecutionException failed) {
            switch (failed.getCause()) {
                case CallException call -> throw call;
                case RuntimeException wrong -> throw wrong;
                default -> throw new IllegalStateException(failed.getCause());
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new CallException("context canceled");
        }
    }

    /** The version in which the webhook is to be asked; null if it is not to be. */
    private Version concerned(Webhook webhook, Subject subject) {
        Optional<ResourceType> matched = webhook.criteria()
                .match(subject, name -> registry.get().store("", "namespaces").find("", name));
        if (matched.isEmpty()) {
            return null;
        }
        Version version = subject.in(matched.get());
        if (webhook.conditions().isEmpty()) {
            return version;
        }
        Conditions.Outcome outcome = webhook.conditions().test(Scopes.values(subject, version, authorizer));
        if (!outcome.error().isEmpty() && !webhook.failsOpen()) {
            throw ApiException.forbidden(
                    subject.used().groupResource(), subject.review().name(), outcome.error());
        }
        return outcome.hold() ? version : null;
    }

    private Verdict ask(Webhook webhook, Subject subject, Version version) throws CallException {
        ObjectNode question = AdmissionReviews.question(subject, version, webhook.reviewVersion());
        long begin = System.nanoTime();
        try {
            return answered(webhook, question, subject.review().options().dryRun(), true);
        } finally {
            Audit.spent(Layer.MUTATING_WEBHOOK, System.nanoTime() - begin);
        }
    }

    private Verdict answered(Webhook webhook, ObjectNode question, boolean dryRun, boolean changes)
            throws CallException {
        if (dryRun && !webhook.mayBeAskedInVain()) {
            throw ApiException.badRequest("admission webhook \"" + webhook.name() + "\" does not support dry run");
        }
        if (webhook.reviewVersion().isEmpty()) {
            throw new CallException("webhook does not accept known AdmissionReview versions (v1, v1beta1)");
        }
        long begin = System.nanoTime();
        boolean rejected = !webhook.failsOpen();
        try {
            Verdict verdict = AdmissionReviews.verdict(question, asked(webhook, question), changes);
            rejected = !verdict.allowed();
            return verdict;
        } finally {
            String operation = question.path("request").path("operation").asText();
            metrics.asked(webhook.name(), type(changes), operation, rejected, System.nanoTime() - begin);
        }
    }

    private JsonNode asked(Webhook webhook, ObjectNode question) throws CallException {
        try {
            return client.ask(webhook.name(), webhook.target(), question, webhook.timeout());
        } catch (CallException failed) {
            throw new CallException((failed.attempted() ? "failed to call webhook: " : "could not get REST client: ")
                    + failed.getMessage());
        }
    }

    /** Passes on what the webhook wants the client, and the records, to know. */
    private static void tell(Webhook webhook, Verdict verdict, Subject subject) {
        verdict.warnings().forEach(subject.review().options().warnings());
        verdict.annotations()
                .forEach((key, value) ->
                        subject.review().options().annotations().accept(webhook.name() + "/" + key, value));
    }

    private void failOpenOrThrow(Webhook webhook, CallException failed, boolean changes) {
        String message = "failed calling webhook \"" + webhook.name() + "\": " + failed.getMessage();
        LOG.warn("{}, failing {}", message, webhook.failsOpen() ? "open" : "closed");
        if (!webhook.failsOpen()) {
            throw ApiException.internal(message);
        }
        metrics.failedOpen(webhook.name(), type(changes));
    }

    private static String type(boolean changes) {
        return changes ? "admit" : "validating";
    }
}
