import { FilterError } from '../error.ts'
import { readScalar } from '../values.ts'
import { insistOnArguments, type Operator, readField } from './operator.ts'

export const existsOperator: Operator = {
  name: 'exists',
  form: 'exists(metadata, "key")  or  exists(field)',
  doc: 'The metadata, inputs or outputs have the key, or keys below it. With a field alone: the field is present.',
  examples: ['exists(metadata, "tenant_id")'],
  read(call, context) {
    insistOnArguments(call, 1, 2, 'a field, and the key of a payload')
    const keyed = call.args.length === 2
    const accepted = keyed
      ? (['metadata', 'payload'] as const)
      : (['id', 'text', 'time', 'duration', 'number', 'tags', 'metadata', 'payload', 'path'] as const)
    const [field] = readField(call, context, accepted)
    if (!keyed) return { op: 'neq', field, value: null }
    const node = call.args[1]!
    const key = readScalar(node, 'text')
    if (typeof key !== 'string' || key === '') throw new FilterError(node.at, 'expected a key')
    return { op: 'exists', field, value: key }
  },
}
