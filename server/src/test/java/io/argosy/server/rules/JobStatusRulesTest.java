package io.argosy.server.rules;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.argosy.api.json.Json;
import io.argosy.api.status.FieldErrors;
import io.argosy.server.validation.Spot;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** What may be told of jobs, and what of that may be taken back. */
class JobStatusRulesTest {
    private static ObjectNode job(String spec, String status) {
        String all = "{'spec':{" + spec + "},'status':{" + status + "}}";
        String named = all.replace("T1", "2026-01-01T00:00:01Z").replace("T2", "2026-01-01T00:00:02Z");
        String conditions = named.replaceAll("\\+([A-Za-z]+)", "{'type':'$1','status':'True'}");
        return Json.decodeObject(conditions
                .replaceAll("!([A-Za-z]+)", "{'type':'$1','status':'False'}")
                .replace('\'', '"')
                .getBytes(StandardCharsets.UTF_8));
    }

    private static List<String> complaints(String spec, String before, String now) {
        FieldErrors errors = new FieldErrors();
        JobStatusRules.check(new Spot(job(spec, now), "", errors), job(spec, before));
        return errors.causes().stream()
                .map(cause -> cause.field() + ": " + cause.message())
                .toList();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', quoteCharacter = '~', nullValues = "-", textBlock = """
        - | - | 'active':-1 | status.active: Invalid value: -1: must be greater than or equal to 0
        - | - | 'active':1,'ready':2 | status.ready: Invalid value: 2: cannot set more ready pods than active
        - | 'failed':2 | 'failed':1 | status.failed: Invalid value: 1: cannot decrease the failed counter
        - | 'succeeded':2 | 'succeeded':1 | status.succeeded: Invalid value: 1: cannot decrease the succeeded counter
        - | - | 'uncountedTerminatedPods':{'succeeded':['a'],'failed':['a']} | status.uncountedTerminatedPods.failed[0]: Duplicate value: "a"
        - | - | 'startTime':'T1','completionTime':'T2','conditions':[+Complete,+SuccessCriteriaMet,+Failed,+FailureTarget] | status.conditions: Invalid value: cannot set Complete=True and Failed=true conditions
        - | - | 'startTime':'T1','conditions':[+Failed] | status.conditions: Invalid value: cannot set Failed=True condition without the FailureTarget=true condition
        - | - | 'startTime':'T1','completionTime':'T2','conditions':[+Complete] | status.conditions: Invalid value: cannot set Complete=True condition without the SuccessCriteriaMet=true condition
        - | - | 'startTime':'T1','conditions':[+SuccessCriteriaMet,+FailureTarget] | status.conditions: Invalid value: cannot set SuccessCriteriaMet=True and FailureTarget=true conditions
        - | - | 'startTime':'T1','completionTime':'T2' | status.completionTime: Invalid value: "2026-01-01T00:00:02Z": cannot set completionTime when there is no Complete=True condition
        - | - | 'startTime':'T1','conditions':[+SuccessCriteriaMet,+Complete] | status.completionTime: Required value: completionTime is required for Complete jobs
        - | - | 'startTime':'T2','completionTime':'T1','conditions':[+SuccessCriteriaMet,+Complete] | status.completionTime: Invalid value: "2026-01-01T00:00:01Z": must be equal to or after `startTime`
        - | - | 'conditions':[+FailureTarget,+Failed] | status.startTime: Required value: startTime is required for finished job
        - | - | 'startTime':'T1','active':1,'conditions':[+FailureTarget,+Failed] | status.active: Invalid value: 1: active>0 is invalid for finished job
        - | - | 'startTime':'T1','terminating':1,'conditions':[+FailureTarget,+Failed] | status.terminating: Invalid value: 1: terminating>0 is invalid for finished job
        - | - | 'startTime':'T1','uncountedTerminatedPods':{'failed':['a']},'conditions':[+FailureTarget,+Failed] | must be empty for finished job
        - | - | 'completedIndexes':'1' | status.completedIndexes: Invalid value: "1": cannot set non-empty completedIndexes when non-indexed completion mode
        'completions':5,'completionMode':'Indexed' | - | 'completedIndexes':'3,1' | status.completedIndexes: Invalid value: "3,1": error parsing completedIndexes: non-increasing order, previous: 3, current: 1
        'completions':5,'completionMode':'Indexed' | 'completedIndexes':'3,1' | 'completedIndexes':'3,1','active':1 | ~~
        'completions':5,'completionMode':'Indexed' | - | 'failedIndexes':'' | status.failedIndexes: Invalid value: "": cannot set non-null failedIndexes when backoffLimitPerIndex is null
        'completions':5,'completionMode':'Indexed','backoffLimitPerIndex':1 | - | 'failedIndexes':'9' | status.failedIndexes: Invalid value: "9": error parsing failedIndexes: too large index: "9"
        'completions':9,'completionMode':'Indexed','backoffLimitPerIndex':1 | - | 'failedIndexes':'0,4-6','completedIndexes':'1-3,5' | status.failedIndexes: Invalid value: "0,4-6": failedIndexes and completedIndexes overlap at index: 5
        'completions':9,'completionMode':'Indexed','backoffLimitPerIndex':1 | - | 'failedIndexes':'0,4','completedIndexes':'1-3,5' | ~~
        'completions':2,'parallelism':2,'completionMode':'Indexed' | 'succeeded':2 | 'succeeded':1 | ~~
        - | 'startTime':'T1','conditions':[+FailureTarget] | 'startTime':'T1' | status.conditions: Invalid value: cannot disable the terminal FailureTarget=True condition
        - | 'startTime':'T1','conditions':[+SuccessCriteriaMet] | 'startTime':'T1' | status.conditions: Invalid value: cannot disable the SuccessCriteriaMet=True condition
        - | 'startTime':'T1' | - | status.startTime: Required value: startTime cannot be removed for unsuspended job
        'suspend':true | 'startTime':'T1' | - | ~~
        - | 'startTime':'T1','conditions':[+Suspended] | 'startTime':'T2','conditions':[!Suspended] | ~~
        'suspend':true,'completions':0 | - | 'completionTime':'T2','conditions':[+SuccessCriteriaMet,+Complete] | ~~
        - | - | 'startTime':'T1','completionTime':'T2','succeeded':1,'conditions':[+SuccessCriteriaMet,+Complete] | ~~
        - | 'startTime':'T1','completionTime':'T2','conditions':[+SuccessCriteriaMet,+Complete] | 'startTime':'T1','completionTime':'T1','conditions':[+SuccessCriteriaMet,+Complete] | status.completionTime: Invalid value: "2026-01-01T00:00:01Z": field is immutable
        """)
    void whatIsToldOfAJobHoldsTogether(String spec, String before, String now, String complaint) {
        List<String> found = complaints(or(spec), or(before), or(now));
        if (complaint.isEmpty()) {
            assertThat(found).isEmpty();
        } else {
            assertThat(found).anyMatch(one -> one.contains(complaint));
        }
    }

    private static String or(String text) {
        return text == null ? "" : text;
    }
}
