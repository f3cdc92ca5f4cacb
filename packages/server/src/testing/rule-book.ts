import { contract, type RuleDecision, uuid7 } from '@touchstone/contract'
import { expect } from 'vitest'
import type { AWorkspace } from './a-workspace.ts'
import type { StartedApp } from './start-app.ts'

const { rules, savedEvaluators, feedback, projects } = contract

/**
 * Short functions for the rules of a workspace.
 *
 * @param getApp  the server, which a test may restart
 */
export function openRuleBook(getApp: () => StartedApp, { headers }: AWorkspace) {
  const app = { call: ((...given) => getApp().call(...given)) as StartedApp['call'] }
  const decisions = async (rule_id: string, query: Record<string, string> = {}): Promise<RuleDecision[]> => {
    const page = await app.call(rules.listDecisions, { headers, params: { rule_id }, query })
    expect(page.status, page.text).toBe(200)
    return page.body.decisions
  }
  const anEvaluator = async (definition: object): Promise<string> => {
    const body = { name: `e ${uuid7()}`, definition }
    const made = await app.call(savedEvaluators.create, { headers, body })
    expect(made.status, made.text).toBe(201)
    return made.body.id
  }
  return {
    decisions,
    anEvaluator,
    async aProject(): Promise<{ id: string; name: string }> {
      const name = `p ${uuid7()}`
      const made = await app.call(projects.create, { headers, body: { name } })
      expect(made.status, made.text).toBe(200)
      return { id: made.body.id, name }
    },
    async send(post: readonly object[], patch: readonly object[] = []): Promise<void> {
      const answer = await getApp().fetch('/runs/batch', {
        method: 'POST',
        headers: { 'content-type': 'application/json', ...headers },
        body: JSON.stringify({ post, patch }),
      })
      expect(answer.status, await answer.text()).toBe(202)
    },
    async aRule(definition: object, more: object = {}) {
      const body = { name: `rule ${uuid7()}`, definition, ...more }
      const made = await app.call(rules.create, { headers, body })
      expect(made.status, made.text).toBe(201)
      return made.body
    },
    update: (rule_id: string, body: object) => app.call(rules.update, { headers, params: { rule_id }, body }),
    read: async (rule_id: string) => (await app.call(rules.read, { headers, params: { rule_id } })).body,
    /** Waits until a rule has decided so often in a state. */
    reach: (rule_id: string, state: RuleDecision['state'], count: number) =>
      expect
        .poll(async () => (await decisions(rule_id, { state, limit: '100' })).length, { timeout: 30_000 })
        .toBe(count),
    async explain(run_id: string, rule_id: string) {
      const answer = await app.call(rules.explain, { headers, params: { run_id } })
      expect(answer.status, answer.text).toBe(200)
      return answer.body.rules.find((one) => one.rule_id === rule_id)!
    },
    scores: async (run: string) => (await app.call(feedback.list, { headers, query: { run, limit: '100' } })).body,
    /** An evaluator in JavaScript. */
    program: (source: string) => anEvaluator({ kind: 'javascript', source }),
    /** A judge whose model answers with `good: true`. */
    judge: (provider_id: string, model = 'fake-script') =>
      anEvaluator({
        kind: 'llm_judge',
        provider_id,
        model,
        messages: [{ role: 'user', content: '{{outputs}} <<<{"good":{"reasoning":"It is a yes.","value":true}}>>>' }],
        feedback: [{ key: 'good', type: 'boolean' }],
      }),
  }
}

export type RuleBook = ReturnType<typeof openRuleBook>
