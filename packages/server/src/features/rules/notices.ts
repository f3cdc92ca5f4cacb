import { timeOfEpochMs } from '@touchstone/contract'
import type { Deps } from '../../deps.ts'
import type { Database } from '../../storage/relational/port.ts'
import type { RuleRow } from '../../storage/relational/tables/rules.ts'
import { type Notice, type NoticeDeps, sendNotice } from '../notifications/index.ts'
import { readDefinition } from './present.ts'

/** What notices of rules need of the server. */
export type RuleNoticeDeps = NoticeDeps & Pick<Deps, 'config'>

export type NoticeRule = Pick<RuleRow, 'id' | 'tenant_id' | 'name' | 'definition'>

type Said = Pick<Notice, 'key' | 'incident' | 'severity' | 'title' | 'text'> & Partial<Notice>

/**
 * Sends a notice about a rule itself through its channels, in the transaction of what it is about. The same key is one notice,
 * however often it is sent.
 */
export async function sendRuleNotice(deps: RuleNoticeDeps, tx: Database, rule: NoticeRule, said: Said): Promise<void> {
  const channels = readDefinition(rule.definition).notice_channel_ids
  if (channels.length === 0) return
  await sendNotice(deps, tx, rule.tenant_id, channels, aRuleNotice(deps, rule, said))
}

export function aRuleNotice(
  { config, clock }: Pick<Deps, 'config' | 'clock'>,
  { id, tenant_id, name }: Omit<NoticeRule, 'definition'>,
  { body = {}, links = [], ...said }: Said,
): Notice {
  const { publicUrl } = config
  const ofRule = publicUrl === undefined ? [] : [{ label: 'Rule', url: `${publicUrl}/o/${tenant_id}/rules/${id}` }]
  return {
    causeKind: 'rule',
    causeId: id,
    isResolved: false,
    facts: [{ label: 'Rule', value: name }],
    at: timeOfEpochMs(clock()),
    ...said,
    links: [...links, ...ofRule],
    body: { rule_id: id, rule_name: name, ...body },
  }
}

/** The incident of a block, which its end resolves. */
export const toBlockIncident = (ruleId: string): string => `touchstone:rule:${ruleId}:blocked`
