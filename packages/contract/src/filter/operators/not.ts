import { insistOnArguments, type Operator, readCalls } from './operator.ts'

export const notOperator: Operator = {
  name: 'not',
  form: 'not(filter)',
  doc: 'It does not hold.',
  examples: ['not(has(metadata, \'{"foo": "bar"}\'))'],
  read: (call, context) => {
    insistOnArguments(call, 1, 1, 'one filter')
    return { op: 'not', args: readCalls(call, context) }
  },
}
