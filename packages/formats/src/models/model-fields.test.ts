import { describe, expect, it } from 'vitest'
import { findModelName, findProviderName, MODEL_FIELDS, mentionsModelField } from './model-fields.ts'

describe('the model of a recorded call', () => {
  it.each(MODEL_FIELDS)('is found under %s, in the parameters and in the request', (field) => {
    expect(findModelName({ extra: { invocation_params: { [field]: 'm-1' } } })).toBe('m-1')
    expect(findModelName({ extra: undefined, inputs: { [field]: 'm-1' } })).toBe('m-1')
    expect(mentionsModelField(JSON.stringify({ [field]: 'm-1' }))).toBe(true)
  })

  it('is that of the metadata first, then that of the parameters', () => {
    const extra = { metadata: { ls_model_name: 'named' }, invocation_params: { model: 'called' } }
    expect(findModelName({ extra, inputs: { model: 'sent' } })).toBe('named')
    expect(findModelName({ extra: { ...extra, metadata: {} }, inputs: { model: 'sent' } })).toBe('called')
  })

  it.each([null, 7, '', {}, { model: '' }, { model: 7 }, { model: { name: 'm' } }])(
    'is unknown in %j',
    (parameters) => {
      expect(findModelName({ extra: { invocation_params: parameters }, inputs: parameters })).toBeUndefined()
      expect(findProviderName({ metadata: { ls_provider: parameters } })).toBeUndefined()
    },
  )

  it('is never a member of the prototype', () => {
    expect(findModelName({ extra: { metadata: 'text' }, inputs: [] })).toBeUndefined()
  })
})
