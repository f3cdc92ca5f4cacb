/** What a customer writes, the tools that the agent calls for it, and its answer. */
export interface Turn {
  readonly message: string
  readonly calls: readonly { readonly tool: string; readonly args: object; readonly result: object }[]
  readonly replies: string
}

const LATE: readonly Turn[] = [
  {
    message: 'My order 4711 has not arrived. Where is it?',
    calls: [
      {
        tool: 'find_order',
        args: { order_id: '4711' },
        result: { status: 'in transit', carrier: 'DHL', eta: '2025-11-24' },
      },
    ],
    replies: 'It is on its way with DHL and should arrive on Monday, 24 November.',
  },
  {
    message: 'That is too late. Can I get my money back?',
    calls: [
      { tool: 'read_policy', args: { topic: 'late delivery' }, result: { refund: 'full, from the 3rd day of delay' } },
      { tool: 'find_order', args: { order_id: '4711' }, result: { status: 'in transit', days_late: 4, total: 83.9 } },
    ],
    replies: 'Yes: the parcel is four days late, so you may have the full 83.90 € back. Shall I start the refund?',
  },
  {
    message: 'Yes please.',
    calls: [
      {
        tool: 'start_refund',
        args: { order_id: '4711', amount: 83.9 },
        result: { refund_id: 'rf_20251121_0093', state: 'pending' },
      },
    ],
    replies: 'Done. Refund rf_20251121_0093 is on its way; your bank usually shows it within three days.',
  },
]

const BROKEN: readonly Turn[] = [
  {
    message: 'The grinder I bought in May makes a terrible noise.',
    calls: [
      { tool: 'find_order', args: { item: 'grinder' }, result: { order_id: '3920', bought: '2025-05-14', total: 129 } },
    ],
    replies: 'I am sorry. I see your grinder of 14 May. Does it still grind, or does it stop?',
  },
  {
    message: 'It stops after a few seconds.',
    calls: [
      { tool: 'read_policy', args: { topic: 'warranty' }, result: { months: 24, covers: ['motor', 'burrs'] } },
      {
        tool: 'search_manual',
        args: { query: 'stops after seconds' },
        result: { page: 17, cause: 'overheated motor' },
      },
    ],
    replies:
      'That sounds like the motor, which is under warranty for 24 months. I can send you a label to return it, free of charge.',
  },
]

const ADDRESS: readonly Turn[] = [
  {
    message: 'Can I still change the address of order 5102?',
    calls: [{ tool: 'find_order', args: { order_id: '5102' }, result: { status: 'packing', can_change: true } }],
    replies: 'Yes, it has not left yet. Which address should it be?',
  },
  {
    message: 'Lindenstraße 12, 10969 Berlin.',
    calls: [
      { tool: 'check_address', args: { street: 'Lindenstraße 12', city: '10969 Berlin' }, result: { valid: true } },
      { tool: 'change_order', args: { order_id: '5102' }, result: { changed: true } },
    ],
    replies: 'Changed. Order 5102 goes to Lindenstraße 12, 10969 Berlin, and should be there on Wednesday.',
  },
  {
    message: 'Great, and could you add a second filter?',
    calls: [
      { tool: 'change_order', args: { order_id: '5102', add: 'filter' }, result: { changed: true, total: 41.8 } },
    ],
    replies: 'Added. The new total is 41.80 €.',
  },
]

export const CONVERSATIONS = [LATE, BROKEN, ADDRESS]
