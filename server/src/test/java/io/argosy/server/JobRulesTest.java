package io.argosy.server;

import static org.assertj.core.api.Assertions.assertThat;

import io.argosy.server.TestClient.Reply;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What jobs may not say, what they are told, and what of them may change. */
class JobRulesTest {
    @RegisterExtension
    static final TestServer SERVER = new TestServer();

    private static final String POD =
            "'spec':{'restartPolicy':'Never','containers':[{'name':'c','image':'i'}],'initContainers':[{'name':'d','image':'i'}]}";

    private TestClient admin;
    private String jobs;

    @BeforeEach
    void namespace() {
        admin = SERVER.admin();
        jobs = "/apis/batch/v1/namespaces/" + SERVER.namespace() + "/jobs";
    }

    private static String job(String spec) {
        return "{'metadata':{'name':'j'},'spec':{'template':{" + POD + "}" + (spec.isEmpty() ? "" : "," + spec) + "}}";
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '^',
            value = {
                "'ttlSecondsAfterFinished':-1 | spec.ttlSecondsAfterFinished: Invalid value: -1: must be greater than"
                        + " or equal to 0",
                "'managedBy':'' | spec.managedBy: Required value",
                "'managedBy':'me' | spec.managedBy: Invalid value: \"me\": must be a domain-prefixed path (such as"
                        + " \"acme.io/foo\")",
                "'managedBy':'acme.io/f o' | spec.managedBy: Invalid value: \"f o\": Invalid path (regex used for"
                        + " validation is '[A-Za-z0-9/\\-._~%!$&'()*+,;=:]+')",
                "'managedBy':'acme.io/a123456789012345678901234567890123456789012345678901234567890' | spec.managedBy:"
                        + " Too long: may not be more than 63 bytes",
                "'completionMode':'Odd' | spec.completionMode: Unsupported value: \"Odd\": supported values:"
                        + " \"NonIndexed\", \"Indexed\"",
                "'completionMode':'Indexed','parallelism':1 | spec.completions: Required value: when completion mode"
                        + " is Indexed",
                "'completionMode':'Indexed','completions':1,'parallelism':100001 | spec.parallelism: Invalid value:"
                        + " 100001: must be less than or equal to 100000 when completion mode is Indexed",
                "'backoffLimitPerIndex':1 | spec.backoffLimitPerIndex: Invalid value: 1: requires indexed completion"
                        + " mode",
                "'completionMode':'Indexed','completions':2,'maxFailedIndexes':1 | spec.backoffLimitPerIndex: Required"
                        + " value: when maxFailedIndexes is specified",
                "'completionMode':'Indexed','completions':2,'backoffLimitPerIndex':1,'maxFailedIndexes':3 |"
                        + " spec.maxFailedIndexes: Invalid value: 3: must be less than or equal to completions",
                "'completionMode':'Indexed','completions':200000,'backoffLimitPerIndex':1 | spec.maxFailedIndexes:"
                        + " Required value: must be specified when completions is above 100000",
                "'podReplacementPolicy':'Odd' | spec.podReplacementPolicy: Unsupported value: \"Odd\": supported"
                        + " values: \"Failed\", \"TerminatingOrFailed\"",
                "'podReplacementPolicy':'TerminatingOrFailed','podFailurePolicy':{'rules':[]} |"
                        + " spec.podReplacementPolicy: Unsupported value: \"TerminatingOrFailed\": supported values:"
                        + " \"Failed\"",
                "'podFailurePolicy':{'rules':[{'onPodConditions':[{'type':'A'}]}]} |"
                        + " spec.podFailurePolicy.rules[0].action: Required value: valid values: [\"Count\" \"FailIndex\""
                        + " \"FailJob\" \"Ignore\"]",
                "'podFailurePolicy':{'rules':[{'action':'Odd','onPodConditions':[{'type':'A'}]}]} |"
                        + " spec.podFailurePolicy.rules[0].action: Unsupported value: \"Odd\": supported values:"
                        + " \"Count\", \"FailIndex\", \"FailJob\", \"Ignore\"",
                "'podFailurePolicy':{'rules':[{'action':'FailIndex','onPodConditions':[{'type':'A'}]}]} |"
                        + " spec.podFailurePolicy.rules[0].action: Invalid value: \"FailIndex\": requires the"
                        + " backoffLimitPerIndex to be set",
                "'podFailurePolicy':{'rules':[{'action':'Count'}]} | spec.podFailurePolicy.rules[0]: Invalid value:"
                        + " specifying one of OnExitCodes and OnPodConditions is required",
                "'podFailurePolicy':{'rules':[{'action':'Count','onPodConditions':[{'type':'A'}],'onExitCodes':{'operator':'In','values':[1]}}]}"
                        + " | spec.podFailurePolicy.rules[0]: Invalid value: specifying both OnExitCodes and"
                        + " OnPodConditions is not supported",
                "'podFailurePolicy':{'rules':[{'action':'Count','onPodConditions':[{'type':'A','status':'Odd'}]}]} |"
                        + " spec.podFailurePolicy.rules[0].onPodConditions[0].status: Unsupported value: \"Odd\":"
                        + " supported values: \"False\", \"True\", \"Unknown\"",
                "'podFailurePolicy':{'rules':[{'action':'Count','onExitCodes':{'operator':'In','values':[0]}}]} |"
                        + " spec.podFailurePolicy.rules[0].onExitCodes.values[0]: Invalid value: 0: must not be 0 for the"
                        + " In operator",
                "'podFailurePolicy':{'rules':[{'action':'Count','onExitCodes':{'operator':'In','values':[]}}]} |"
                        + " spec.podFailurePolicy.rules[0].onExitCodes.values: Invalid value: []: at least one value is"
                        + " required",
                "'podFailurePolicy':{'rules':[{'action':'Count','onExitCodes':{'operator':'In','values':[1,1]}}]} |"
                        + " spec.podFailurePolicy.rules[0].onExitCodes.values[1]: Duplicate value: 1",
                "'podFailurePolicy':{'rules':[{'action':'Count','onExitCodes':{'operator':'In','values':[2,1]}}]} |"
                        + " spec.podFailurePolicy.rules[0].onExitCodes.values: Invalid value: [2,1]: must be ordered",
                "'podFailurePolicy':{'rules':[{'action':'Count','onExitCodes':{'operator':'In','values':[1],'containerName':'x'}}]}"
                        + " | spec.podFailurePolicy.rules[0].onExitCodes.containerName: Invalid value: \"x\": must be one"
                        + " of the container or initContainer names in the pod template",
                "'successPolicy':{'rules':[{'succeededCount':1}]} | spec.successPolicy: Invalid value:"
                        + " {\"rules\":[{\"succeededCount\":1}]}: requires indexed completion mode",
                "'completionMode':'Indexed','completions':5,'successPolicy':{'rules':[]} | spec.successPolicy.rules:"
                        + " Required value: at least one rules must be specified when the successPolicy is specified",
                "'completionMode':'Indexed','completions':5,'successPolicy':{'rules':[{}]} |"
                        + " spec.successPolicy.rules[0]: Required value: at least one of succeededCount or"
                        + " succeededIndexes must be specified",
                "'completionMode':'Indexed','completions':5,'successPolicy':{'rules':[{'succeededCount':6}]} |"
                        + " spec.successPolicy.rules[0].succeededCount: Invalid value: 6: must be less than or equal to 5"
                        + " (the number of specified completions)",
                "'completionMode':'Indexed','completions':5,'successPolicy':{'rules':[{'succeededCount':3,'succeededIndexes':'0,2'}]}"
                        + " | spec.successPolicy.rules[0].succeededCount: Invalid value: 3: must be less than or equal to"
                        + " 2 (the number of indexes in the specified succeededIndexes field)",
                "'completionMode':'Indexed','completions':5,'successPolicy':{'rules':[{'succeededIndexes':'3-1'}]} |"
                        + " spec.successPolicy.rules[0].succeededIndexes: Invalid value: \"3-1\": error parsing"
                        + " succeededIndexes: non-increasing order, previous: 3, current: 1",
                "'completionMode':'Indexed','completions':5,'successPolicy':{'rules':[{'succeededIndexes':'2-5'}]} |"
                        + " spec.successPolicy.rules[0].succeededIndexes: Invalid value: \"2-5\": error parsing"
                        + " succeededIndexes: too large index: \"5\"",
                "'completionMode':'Indexed','completions':5,'successPolicy':{'rules':[{'succeededIndexes':'a'}]} |"
                        + " spec.successPolicy.rules[0].succeededIndexes: Invalid value: \"a\": error parsing"
                        + " succeededIndexes: cannot convert string to integer for index: \"a\"",
                "'manualSelector':true,'selector':{'matchLabels':{'a':'b'}} | spec.template.metadata.labels: Invalid"
                        + " value: null: `selector` does not match template `labels`",
            })
    void whatAJobMayNotSay(String spec, String cause) {
        assertThat(admin.post(jobs, job(spec)).causes()).containsExactly(cause);
    }

    @Test
    void aSelectorOfOnesOwnIsNeededAndReadAsFarAsItCanBe() {
        assertThat(admin.post(jobs, job("'manualSelector':true")).causes())
                .containsExactly(
                        "spec.selector: Required value",
                        "spec.template.metadata.labels: Invalid value: null: `selector` does not match template"
                                + " `labels`");
        String odd = "'selector':{'matchExpressions':[{'key':'a','operator':'Near'}]}";
        assertThat(admin.post(jobs, job("'backoffLimit':-1,'manualSelector':true," + odd))
                        .causes())
                .containsExactlyInAnyOrder(
                        "spec.backoffLimit: Invalid value: -1: must be greater than or equal to 0",
                        "spec.selector.matchExpressions[0].operator: Invalid value: \"Near\": not a valid selector"
                                + " operator");
        assertThat(admin.post(jobs, job(odd)).causes())
                .contains("spec.selector.matchExpressions[0].operator: Invalid value: \"Near\": not a valid selector"
                        + " operator");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '^',
            value = {
                "'managedBy':'acme.io/mine/too'",
                "'completionMode':'Indexed','completions':5,'backoffLimitPerIndex':0,'maxFailedIndexes':5",
                "'completionMode':'Indexed','completions':5,'successPolicy':{'rules':[{'succeededCount':2,'succeededIndexes':'0,2-4'}]}",
                "'podFailurePolicy':{'rules':[{'action':'FailJob','onExitCodes':{'operator':'NotIn','values':[0,1],'containerName':'d'}},{'action':'Ignore','onPodConditions':[{'type':'DisruptionTarget'}]}]}",
            })
    void whatAJobMaySay(String spec) {
        admin.create(jobs, job(spec));
    }

    @Test
    void everythingWrongIsSaidAtOnceAndDefaultsAreFilledIn() {
        assertThat(admin.post(
                                jobs,
                                job("'backoffLimitPerIndex':-1,'podFailurePolicy':{'rules':[{'action':'Count'}]}")
                                        .replace("Never", "OnFailure"))
                        .causes())
                .containsExactly(
                        "spec.backoffLimitPerIndex: Invalid value: -1: must be greater than or equal to 0",
                        "spec.backoffLimitPerIndex: Invalid value: -1: requires indexed completion mode",
                        "spec.podFailurePolicy.rules[0]: Invalid value: specifying one of OnExitCodes and"
                                + " OnPodConditions is required",
                        "spec.template.spec.restartPolicy: Invalid value: \"OnFailure\": only \"Never\" is supported"
                                + " when podFailurePolicy is specified");
        Reply made = admin.create(
                jobs, job("'podFailurePolicy':{'rules':[{'action':'Count','onPodConditions':[{'type':'A'}]}]}"));
        assertThat(made.at("/spec/podFailurePolicy/rules/0/onPodConditions/0/status")
                        .asText())
                .isEqualTo("True");
        assertThat(made.at("/spec/podReplacementPolicy").asText()).isEqualTo("Failed");
    }

    @Test
    void whoSetsNoRestartPolicyIsToldWhichThereAre() {
        assertThat(admin.post(jobs, job("").replace("'restartPolicy':'Never',", ""))
                        .causes())
                .containsExactly(
                        "spec.template.spec.restartPolicy: Required value: valid values: \"OnFailure\", \"Never\"");
    }

    @Test
    void labelsOfTheServersChoiceAreNotTheClients() {
        String labelled = job("").replace("'template':{", "'template':{'metadata':{'labels':{'job-name':'other'}},");
        assertThat(admin.post(jobs, labelled).causes())
                .anySatisfy(cause -> assertThat(cause)
                        .startsWith("spec.template.metadata.labels[job-name]: Invalid value: {\"job-name\":\"other\"")
                        .endsWith(": must be 'j'"));
        admin.create(
                jobs,
                labelled.replace(
                        "'spec':{'template",
                        "'spec':{'manualSelector':true,'selector':{'matchLabels':{'job-name':'other'}},'template"));
    }

    @Test
    void theLastPodOfAnIndexedJobNeedsAName() {
        String name = "a".repeat(62);
        assertThat(admin.post(
                                jobs,
                                job("'completionMode':'Indexed','completions':1")
                                        .replace("'j'", "'" + name + "'"))
                        .causes())
                .containsExactly("metadata.name: Invalid value: \"" + name
                        + "\": will not able to create pod with invalid DNS label: " + name + "-0");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '^',
            value = {
                "{'completions':3} | spec.completions: Invalid value: 3: field is immutable",
                "{'selector':{'matchLabels':{'a':'b'}}} | spec.selector: Invalid value:",
                "{'completionMode':'Indexed'} | spec.completionMode: Invalid value: \"Indexed\": field is immutable",
                "{'podFailurePolicy':{'rules':[{'action':'Count','onPodConditions':[{'type':'A'}]}]},'podReplacementPolicy':'Failed'}"
                        + " | spec.podFailurePolicy: Invalid value: {\"rules\":",
                "{'managedBy':'acme.io/me'} | spec.managedBy: Invalid value: \"acme.io/me\": field is immutable",
                "{'template':{'spec':{'nodeSelector':{'a':'b'}}}} | spec.template: Invalid value: {",
                "{'template':{'metadata':{'labels':{'a':'b'}}}} | spec.template: Invalid value: {",
            })
    void whatOfAJobStays(String change, String cause) {
        admin.create(jobs, job("'completions':2"));
        Reply refused = admin.patch(jobs + "/j", TestClient.MERGE_PATCH, "{'spec':" + change + "}");
        assertThat(refused.causes()).anySatisfy(found -> assertThat(found).startsWith(cause));
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '^',
            value = {
                "{'parallelism':3,'backoffLimit':1,'activeDeadlineSeconds':5,'ttlSecondsAfterFinished':1,'suspend':false}",
                "{'podReplacementPolicy':'Failed'}",
                "{'template':{'metadata':{'labels':{'a':'b'},'annotations':{'a':'b'}}}}",
                "{'template':{'spec':{'nodeSelector':{'a':'b'},'tolerations':[{'operator':'Exists'}],'schedulingGates':[{'name':'a.b/c'}]}}}",
                "{'template':{'spec':{'affinity':{'nodeAffinity':{'preferredDuringSchedulingIgnoredDuringExecution':[]}}}}}",
            })
    void whatOfASuspendedJobMayChange(String change) {
        admin.create(jobs, job("'completions':2,'suspend':true"));
        admin.patch(jobs + "/j", TestClient.MERGE_PATCH, "{'spec':" + change + "}")
                .is(200);
    }

    @Test
    void whatRunsStaysEvenInASuspendedJobAndAfterItsStartEverything() {
        admin.create(jobs, job("'suspend':true"));
        String image = "[{'op':'replace','path':'/spec/template/spec/containers/0/image','value':'j'}]";
        assertThat(admin.patch(jobs + "/j", "application/json-patch+json", image)
                        .causes())
                .singleElement()
                .asString()
                .startsWith("spec.template: Invalid value: {")
                .endsWith("field is immutable");
        String podAffinity = "{'spec':{'template':{'spec':{'affinity':{'podAffinity':{}}}}}}";
        admin.patch(jobs + "/j", TestClient.MERGE_PATCH, podAffinity).is(422);
        admin.patch(jobs + "/j/status", TestClient.MERGE_PATCH, "{'status':{'startTime':'2026-01-01T00:00:00Z'}}")
                .is(200);
        String selector = "{'spec':{'template':{'spec':{'nodeSelector':{'a':'b'}}}}}";
        admin.patch(jobs + "/j", TestClient.MERGE_PATCH, selector).is(422);
    }

    @Test
    void anIndexedJobGrowsInTandem() {
        admin.create(jobs, job("'completionMode':'Indexed','completions':2,'parallelism':2"));
        assertThat(admin.patch(jobs + "/j", TestClient.MERGE_PATCH, "{'spec':{'completions':3}}")
                        .causes())
                .containsExactly(
                        "spec.completions: Invalid value: 3: can only be modified in tandem with spec.parallelism");
        admin.patch(jobs + "/j", TestClient.MERGE_PATCH, "{'spec':{'completions':3,'parallelism':3}}")
                .is(200);
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            quoteCharacter = '^',
            value = {
                "'concurrencyPolicy':'Odd' | | spec.concurrencyPolicy: Unsupported value: \"Odd\": supported values:"
                        + " \"Allow\", \"Forbid\", \"Replace\"",
                "'timeZone':'' | | spec.timeZone: Invalid value: \"\": timeZone must be nil or non-empty string",
                "'timeZone':'Mars/Olympus' | | spec.timeZone: Invalid value: \"Mars/Olympus\": unknown time zone"
                        + " Mars/Olympus",
                "'timeZone':'../etc' | | spec.timeZone: Invalid value: \"../etc\": unknown time zone ../etc",
                "'timeZone':'local' | | spec.timeZone: Invalid value: \"local\": timeZone must be an explicit time"
                        + " zone as defined in https://www.iana.org/time-zones",
                "'schedule':'' | | spec.schedule: Required value",
                "'schedule':'* * *' | | spec.schedule: Invalid value: \"* * *\": expected exactly 5 fields, found 3:"
                        + " [* * *]",
                "'schedule':'61 * * * *' | | spec.schedule: Invalid value: \"61 * * * *\": end of range (61) above"
                        + " maximum (59): 61",
                "'schedule':'@sometimes' | | spec.schedule: Invalid value: \"@sometimes\": unrecognized descriptor:"
                        + " @sometimes",
                "'schedule':'TZ=UTC * * * * *' | | spec.schedule: Invalid value: \"TZ=UTC * * * * *\": cannot use TZ"
                        + " or CRON_TZ in schedule, use timeZone field instead",
                "'startingDeadlineSeconds':-1 | | spec.startingDeadlineSeconds: Invalid value: -1: must be greater"
                        + " than or equal to 0",
                "'failedJobsHistoryLimit':-1 | | spec.failedJobsHistoryLimit: Invalid value: -1: must be greater than"
                        + " or equal to 0",
                "'suspend':false | ,'manualSelector':true | spec.jobTemplate.spec.manualSelector: Unsupported value:"
                        + " true: supported values: \"nil\", \"false\"",
                "'suspend':false | ,'selector':{'matchLabels':{'a':'b'}} | spec.jobTemplate.spec.selector: Invalid"
                        + " value: {\"matchLabels\":{\"a\":\"b\"}}: `selector` will be auto-generated",
                "'suspend':false | ,'backoffLimitPerIndex':1 | spec.jobTemplate.spec.backoffLimitPerIndex: Invalid"
                        + " value: 1: requires indexed completion mode",
            })
    void whatATimetableMayNotSay(String spec, String jobSpec, String cause) {
        String schedule = spec.contains("schedule") ? "" : "'schedule':'* * * * *',";
        String timetable = "{'metadata':{'name':'c'},'spec':{" + schedule + spec
                + ",'jobTemplate':{'spec':{'template':{" + POD + "}" + (jobSpec == null ? "" : jobSpec) + "}}}}";
        assertThat(admin.post(jobs.replace("/jobs", "/cronjobs"), timetable).causes())
                .containsExactly(cause);
    }

    @Test
    void aTimetableMayHaveATimeZone() {
        String timetable = "{'metadata':{'name':'c'},'spec':{'schedule':'* * * *"
                + " *','timeZone':'Europe/Berlin','jobTemplate':{'spec':{'template':{"
                + POD + "}}}}}";
        String timetables = jobs.replace("/jobs", "/cronjobs");
        admin.create(timetables, timetable);
        admin.patch(timetables + "/c", TestClient.MERGE_PATCH, "{'spec':{'timeZone':'Etc/UTC'}}")
                .is(200);
        admin.patch(timetables + "/c", TestClient.MERGE_PATCH, "{'spec':{'timeZone':'Nowhere'}}")
                .is(422);
    }

    @Test
    void theNameOfATimetableLeavesRoomForATime() {
        String name = "a".repeat(53);
        String timetable = "{'metadata':{'name':'" + name
                + "'},'spec':{'schedule':'* * * * *','jobTemplate':{'spec':{'template':{" + POD + "}}}}}";
        assertThat(admin.post(jobs.replace("/jobs", "/cronjobs"), timetable).causes())
                .containsExactly("metadata.name: Invalid value: \"" + name + "\": must be no more than 52 characters");
    }

    @Test
    void allThatIsWrongWithATimetableIsSaidInOrder() {
        String timetable = "{'metadata':{'name':'c'},'spec':{'startingDeadlineSeconds':-1,'timeZone':'Nowhere',"
                + "'concurrencyPolicy':'Wait','failedJobsHistoryLimit':-1,'jobTemplate':{'spec':{'completionMode':'Odd',"
                + "'backoffLimitPerIndex':1,'template':{" + POD + "}}}}}";
        assertThat(admin.post(jobs.replace("/jobs", "/cronjobs"), timetable).causes())
                .containsExactly(
                        "spec.schedule: Required value",
                        "spec.startingDeadlineSeconds: Invalid value: -1: must be greater than or equal to 0",
                        "spec.timeZone: Invalid value: \"Nowhere\": unknown time zone Nowhere",
                        "spec.concurrencyPolicy: Unsupported value: \"Wait\": supported values: \"Allow\", \"Forbid\","
                                + " \"Replace\"",
                        "spec.jobTemplate.spec.completionMode: Unsupported value: \"Odd\": supported values:"
                                + " \"NonIndexed\", \"Indexed\"",
                        "spec.failedJobsHistoryLimit: Invalid value: -1: must be greater than or equal to 0");
    }
}
