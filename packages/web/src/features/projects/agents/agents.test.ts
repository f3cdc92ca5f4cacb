import type { Agent } from '@touchstone/sdk'
import { describe, expect, it } from 'vitest'
import { agentCells, agentIdProblem, findAgentProjectLabel, listAgentProjectIds } from './agents.ts'

const environment = (name: Agent['environments'][number]['environment'], project: string | null) => ({
  id: name,
  agent_id: 'support',
  environment: name,
  tracer_session_id: project,
  tracer_session_name: project,
})
const agent = {
  id: 'support',
  name: 'Support bot',
  environments: [environment('PRODUCTION', 'p'), environment('LOCAL', 'l'), environment('STAGING', null)],
} as Agent

describe('the environments of an agent', () => {
  it('are in the order of the columns, independent of the response', () => {
    expect(agentCells(agent, new Map([['p', '2026-11-01T00:00:00Z']]))).toEqual([
      { kind: 'project', label: 'Local', projectId: 'l', lastTrace: null },
      { kind: 'absent', label: 'Development' },
      { kind: 'absent', label: 'Staging' },
      { kind: 'project', label: 'Production', projectId: 'p', lastTrace: '2026-11-01T00:00:00Z' },
    ])
  })

  it('have no last trace until it is loaded', () => {
    expect(agentCells(agent, undefined)[0]).toEqual({
      kind: 'project',
      label: 'Local',
      projectId: 'l',
      lastTrace: undefined,
    })
  })

  it('have projects, of which some may be deleted', () => {
    expect(listAgentProjectIds([agent, agent])).toEqual(['p', 'l', 'p', 'l'])
  })

  it('have the name of the agent as their label', () => {
    expect(findAgentProjectLabel(agent, 'p')).toBe('Support bot / production')
    expect(findAgentProjectLabel(agent, 'other')).toBeUndefined()
  })
})

describe('the id of an agent', () => {
  it.each([
    ['', undefined],
    ['a', undefined],
    ['customer-support-2', undefined],
    ['a'.repeat(63), undefined],
    ['a'.repeat(64), 'Use at most 63 characters.'],
    ['Support', 'Use lower-case letters, digits and hyphens only.'],
    ['my agent', 'Use lower-case letters, digits and hyphens only.'],
    ['1st', 'Begin with a letter.'],
    ['-a', 'Begin with a letter.'],
    ['a-', 'End with a letter or a digit.'],
  ])('%j: %s', (id, problem) => {
    expect(agentIdProblem(id)).toBe(problem)
  })
})
