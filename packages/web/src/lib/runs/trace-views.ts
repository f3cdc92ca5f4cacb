/** The pictures of a trace, in the order of their keys, Shift 1 to 5. */
export const TRACE_VIEWS = ['tree', 'waterfall', 'flame', 'graph', 'thread'] as const
export type TraceViewName = (typeof TRACE_VIEWS)[number]

/** What the colours of a trace may mean. */
export const COLOUR_BYS = ['type', 'latency', 'cost', 'model'] as const
export type ColourBy = (typeof COLOUR_BYS)[number]
