import { FilterError } from '../error.ts'
import { readScalar } from '../values.ts'
import { insistOnArguments, type Operator, readField } from './operator.ts'

export const hasOperator: Operator = {
  name: 'has',
  form: 'has(tags, "tag")  or  has(metadata, \'{"key": value, …}\')',
  doc: 'The run carries the tag; or the metadata, inputs or outputs contain all of these pairs, at any depth of them. A text that is no JSON object is a key that must be there.',
  examples: ['has(tags, "production")', 'has(metadata, \'{"user_id": "u1"}\')'],
  read(call, context) {
    insistOnArguments(call, 2, 2, 'a field and text')
    const [field] = readField(call, context, ['tags', 'metadata', 'payload'])
    const node = call.args[1]!
    const value = readScalar(node, 'text')
    if (typeof value !== 'string') throw new FilterError(node.at, 'expected text')
    return { op: 'has', field, value }
  },
}
