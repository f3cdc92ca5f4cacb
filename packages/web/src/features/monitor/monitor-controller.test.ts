import { describe, expect, it } from 'vitest'
import { defaultCharts } from './logic/metrics.ts'
import { collectFeedbackKeys, createChart, parseTables, toGroupSearch, toggleTable } from './monitor-controller.ts'

describe('the monitor page', () => {
  it('reads the toggled charts from the URL', () => {
    expect([...parseTables('runs,cost')]).toEqual(['runs', 'cost'])
    expect([...parseTables(undefined)]).toEqual([])
  })

  it.each([
    ['runs', 'cost', true, 'runs,cost'],
    ['runs', 'runs', true, 'runs'],
    ['runs,cost', 'runs', false, 'cost'],
    ['runs', 'runs', false, undefined],
  ])('from %s toggles %s to %s', (tables, id, isToggled, expected) => {
    expect(toggleTable(parseTables(tables), id, isToggled)).toBe(expected)
  })

  it('collects each feedback key once, sorted', () => {
    const charts = defaultCharts(['tone', 'clarity'], 'traces')
    expect(collectFeedbackKeys([...charts, ...charts])).toEqual(['clarity', 'tone'])
    expect(collectFeedbackKeys(undefined)).toEqual([])
  })

  it('creates charts with different ids', () => {
    const [one, other] = [createChart('runs'), createChart('runs')]
    expect(one.scope).toBe('runs')
    expect(one.id).not.toBe(other.id)
  })

  it.each([
    ['none', { group: undefined }],
    ['name', { group: 'name' }],
    ['model', { group: 'model', scope: 'runs' }],
    ['run_type', { group: 'run_type', scope: 'runs' }],
    ['metadata.env', { group: 'metadata.env' }],
  ])('groups by %s', (group, expected) => {
    expect(toGroupSearch(group)).toEqual(expected)
  })
})
