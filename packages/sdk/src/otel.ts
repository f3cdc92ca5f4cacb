export { LangSmithOTLPTraceExporter, type LangSmithOTLPTraceExporterConfig } from './otel/exporter.ts'
export { LangSmithOTLPSpanProcessor, type LangSmithOTLPSpanProcessorConfig } from './otel/processor.ts'
