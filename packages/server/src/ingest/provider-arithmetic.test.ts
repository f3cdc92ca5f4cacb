import { contract, type Run, uuid7 } from '@touchstone/contract'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StartedApp, startApp } from '../testing/start-app.ts'

/** A response of a provider as its API returns it, and what the provider counts and bills for it. */
interface Response {
  readonly from: string
  readonly model: string
  /** As clients name the host in `ls_provider`. */
  readonly provider: string
  readonly runType?: 'embedding'
  readonly outputs: object
  readonly prompt: number | null
  readonly completion: number | null
  /** Tokens times US dollars per million, by hand, with the prices of the provider's list. */
  readonly sum?: string
  /** The sum, or what the provider reports where its list has no price. */
  readonly cost: string | null
}

const RESPONSES: readonly Response[] = [
  {
    from: 'OpenAI chat with a cached prompt',
    model: 'gpt-4o-2024-08-06',
    provider: 'openai',
    outputs: {
      object: 'chat.completion',
      service_tier: 'default',
      usage: {
        prompt_tokens: 2006,
        completion_tokens: 300,
        total_tokens: 2306,
        prompt_tokens_details: { cached_tokens: 1920, audio_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 0, accepted_prediction_tokens: 0 },
      },
    },
    prompt: 2006,
    completion: 300,
    sum: '86 × 2.5 + 1920 × 1.25 + 300 × 10',
    cost: '0.005615',
  },
  {
    from: 'OpenAI chat: reasoning is a part of the completion',
    model: 'gpt-5-mini',
    provider: 'openai',
    outputs: {
      usage: {
        prompt_tokens: 35,
        completion_tokens: 1186,
        total_tokens: 1221,
        completion_tokens_details: { reasoning_tokens: 1024 },
      },
    },
    prompt: 35,
    completion: 1186,
    sum: '35 × 0.25 + 1186 × 2',
    cost: '0.00238075',
  },
  {
    from: 'OpenAI responses',
    model: 'gpt-5.2-2025-12-11',
    provider: 'openai',
    outputs: {
      object: 'response',
      usage: {
        input_tokens: 36,
        input_tokens_details: { cached_tokens: 0 },
        output_tokens: 87,
        output_tokens_details: { reasoning_tokens: 0 },
        total_tokens: 123,
      },
    },
    prompt: 36,
    completion: 87,
    sum: '36 × 1.75 + 87 × 14',
    cost: '0.001281',
  },
  {
    from: 'OpenAI responses: flex, in the last event of a stream',
    model: 'gpt-5',
    provider: 'openai',
    outputs: {
      type: 'response.completed',
      response: {
        service_tier: 'flex',
        usage: {
          input_tokens: 1000,
          input_tokens_details: { cached_tokens: 800 },
          output_tokens: 500,
          output_tokens_details: { reasoning_tokens: 300 },
          total_tokens: 1500,
        },
      },
    },
    prompt: 1000,
    completion: 500,
    sum: '200 × 0.625 + 800 × 0.0625 + 500 × 5',
    cost: '0.002675',
  },
  {
    from: 'OpenAI chat: priority',
    model: 'gpt-5',
    provider: 'openai',
    outputs: {
      service_tier: 'priority',
      usage: {
        prompt_tokens: 1000,
        completion_tokens: 500,
        total_tokens: 1500,
        prompt_tokens_details: { cached_tokens: 800 },
        completion_tokens_details: { reasoning_tokens: 300 },
      },
    },
    prompt: 1000,
    completion: 500,
    sum: '200 × 2.5 + 800 × 0.25 + 500 × 20',
    cost: '0.0107',
  },
  {
    from: 'OpenAI responses: above 272,000 tokens',
    model: 'gpt-5.5',
    provider: 'openai',
    outputs: {
      usage: {
        input_tokens: 300_000,
        input_tokens_details: { cached_tokens: 200_000 },
        output_tokens: 1000,
        output_tokens_details: { reasoning_tokens: 640 },
        total_tokens: 301_000,
      },
    },
    prompt: 300_000,
    completion: 1000,
    sum: '100000 × 10 + 200000 × 1 + 1000 × 45',
    cost: '1.245',
  },
  {
    from: 'OpenAI chat with audio',
    model: 'gpt-audio',
    provider: 'openai',
    outputs: {
      usage: {
        prompt_tokens: 100,
        completion_tokens: 60,
        total_tokens: 160,
        prompt_tokens_details: { cached_tokens: 0, audio_tokens: 80, text_tokens: 20, image_tokens: 0 },
        completion_tokens_details: { reasoning_tokens: 0, audio_tokens: 50, text_tokens: 10 },
      },
    },
    prompt: 100,
    completion: 60,
    sum: '20 × 2.5 + 80 × 32 + 10 × 10 + 50 × 64',
    cost: '0.00591',
  },
  {
    from: 'OpenAI realtime',
    model: 'gpt-realtime',
    provider: 'openai',
    outputs: {
      type: 'response.done',
      response: {
        object: 'realtime.response',
        usage: {
          total_tokens: 253,
          input_tokens: 132,
          output_tokens: 121,
          input_token_details: {
            text_tokens: 119,
            audio_tokens: 13,
            image_tokens: 0,
            cached_tokens: 64,
            cached_tokens_details: { text_tokens: 64, audio_tokens: 0, image_tokens: 0 },
          },
          output_token_details: { text_tokens: 30, audio_tokens: 91 },
        },
      },
    },
    prompt: 132,
    completion: 121,
    sum: '55 × 4 + 64 × 0.4 + 13 × 32 + 30 × 16 + 91 × 64',
    cost: '0.0069656',
  },
  {
    from: 'OpenAI realtime: cached audio',
    model: 'gpt-realtime',
    provider: 'openai',
    outputs: {
      type: 'response.done',
      response: {
        usage: {
          total_tokens: 1250,
          input_tokens: 1000,
          output_tokens: 250,
          input_token_details: {
            text_tokens: 300,
            audio_tokens: 700,
            image_tokens: 0,
            cached_tokens: 640,
            cached_tokens_details: { text_tokens: 256, audio_tokens: 384, image_tokens: 0 },
          },
          output_token_details: { text_tokens: 50, audio_tokens: 200 },
        },
      },
    },
    prompt: 1000,
    completion: 250,
    sum: '44 × 4 + 256 × 0.4 + 316 × 32 + 384 × 0.4 + 50 × 16 + 200 × 64',
    cost: '0.024144',
  },
  {
    from: 'OpenAI images: an edited image',
    model: 'gpt-image-1',
    provider: 'openai',
    outputs: {
      created: 1713833628,
      usage: {
        input_tokens: 363,
        input_tokens_details: { image_tokens: 323, text_tokens: 40 },
        output_tokens: 1056,
        total_tokens: 1419,
      },
    },
    prompt: 363,
    completion: 1056,
    sum: '40 × 5 + 323 × 10 + 1056 × 40',
    cost: '0.04567',
  },
  {
    from: 'OpenAI transcription by tokens',
    model: 'gpt-4o-transcribe',
    provider: 'openai',
    outputs: {
      text: 'Imagine the wildest idea',
      usage: {
        type: 'tokens',
        input_tokens: 14,
        input_token_details: { text_tokens: 10, audio_tokens: 4 },
        output_tokens: 101,
        total_tokens: 115,
      },
    },
    prompt: 14,
    completion: 101,
    sum: '14 × 2.5 + 101 × 10',
    cost: '0.001045',
  },
  {
    from: 'OpenAI transcription by duration has no tokens',
    model: 'whisper-1',
    provider: 'openai',
    outputs: { text: 'Imagine the wildest idea', usage: { type: 'duration', seconds: 9 } },
    prompt: null,
    completion: null,
    cost: null,
  },
  {
    from: 'OpenAI embeddings',
    model: 'text-embedding-3-large',
    provider: 'openai',
    runType: 'embedding',
    outputs: { object: 'list', usage: { prompt_tokens: 8, total_tokens: 8 } },
    prompt: 8,
    completion: null,
    sum: '8 × 0.13',
    cost: '0.00000104',
  },
  {
    from: 'Azure OpenAI',
    model: 'gpt-4o',
    provider: 'azure',
    outputs: {
      prompt_filter_results: [{ prompt_index: 0, content_filter_results: {} }],
      usage: {
        completion_tokens: 20,
        completion_tokens_details: null,
        prompt_tokens: 100,
        prompt_tokens_details: null,
        total_tokens: 120,
      },
    },
    prompt: 100,
    completion: 20,
    sum: '100 × 2.5 + 20 × 10',
    cost: '0.00045',
  },
  {
    from: 'Anthropic',
    model: 'claude-sonnet-4-6',
    provider: 'anthropic',
    outputs: {
      type: 'message',
      stop_reason: 'end_turn',
      usage: {
        input_tokens: 2095,
        cache_creation_input_tokens: 0,
        cache_read_input_tokens: 0,
        cache_creation: { ephemeral_5m_input_tokens: 0, ephemeral_1h_input_tokens: 0 },
        output_tokens: 503,
        service_tier: 'standard',
      },
    },
    prompt: 2095,
    completion: 503,
    sum: '2095 × 3 + 503 × 15',
    cost: '0.01383',
  },
  {
    from: 'Anthropic: a cache that is read, and written for five minutes and for an hour',
    model: 'claude-sonnet-4-5-20250929',
    provider: 'anthropic',
    outputs: {
      usage: {
        input_tokens: 2048,
        cache_read_input_tokens: 1800,
        cache_creation_input_tokens: 248,
        output_tokens: 503,
        cache_creation: { ephemeral_5m_input_tokens: 148, ephemeral_1h_input_tokens: 100 },
      },
    },
    prompt: 4096,
    completion: 503,
    sum: '2048 × 3 + 1800 × 0.3 + 148 × 3.75 + 100 × 6 + 503 × 15',
    cost: '0.015384',
  },
  {
    from: 'Anthropic: a message of a batch',
    model: 'claude-sonnet-4-5',
    provider: 'anthropic',
    outputs: {
      usage: {
        input_tokens: 1000,
        cache_read_input_tokens: 2000,
        cache_creation_input_tokens: 500,
        cache_creation: { ephemeral_5m_input_tokens: 500, ephemeral_1h_input_tokens: 0 },
        output_tokens: 400,
        service_tier: 'batch',
      },
    },
    prompt: 3500,
    completion: 400,
    sum: '1000 × 1.5 + 2000 × 0.15 + 500 × 1.875 + 400 × 7.5',
    cost: '0.0057375',
  },
  {
    from: 'Anthropic: above 200,000 tokens with the cache',
    model: 'claude-sonnet-4-5',
    provider: 'anthropic',
    outputs: {
      usage: {
        input_tokens: 30_000,
        cache_read_input_tokens: 190_000,
        cache_creation_input_tokens: 0,
        output_tokens: 2000,
      },
    },
    prompt: 220_000,
    completion: 2000,
    sum: '30000 × 6 + 190000 × 0.6 + 2000 × 22.5',
    cost: '0.339',
  },
  {
    from: 'Gemini: thoughts beside the candidates',
    model: 'gemini-2.5-pro',
    provider: 'google_genai',
    outputs: {
      modelVersion: 'gemini-2.5-pro',
      usageMetadata: {
        promptTokenCount: 10,
        candidatesTokenCount: 50,
        thoughtsTokenCount: 200,
        totalTokenCount: 260,
        promptTokensDetails: [{ modality: 'TEXT', tokenCount: 10 }],
      },
    },
    prompt: 10,
    completion: 250,
    sum: '10 × 1.25 + 250 × 10',
    cost: '0.0025125',
  },
  {
    from: 'Gemini: above 200,000 tokens, with a cache',
    model: 'gemini-2.5-pro',
    provider: 'google_genai',
    outputs: {
      usageMetadata: {
        promptTokenCount: 250_000,
        cachedContentTokenCount: 100_000,
        candidatesTokenCount: 1000,
        thoughtsTokenCount: 500,
        totalTokenCount: 251_500,
      },
    },
    prompt: 250_000,
    completion: 1500,
    sum: '150000 × 2.5 + 100000 × 0.25 + 1500 × 15',
    cost: '0.4225',
  },
  {
    from: 'Gemini: audio, some of it from the cache',
    model: 'gemini-2.5-flash',
    provider: 'google_genai',
    outputs: {
      usageMetadata: {
        promptTokenCount: 1000,
        cachedContentTokenCount: 300,
        candidatesTokenCount: 20,
        totalTokenCount: 1020,
        promptTokensDetails: [
          { modality: 'TEXT', tokenCount: 600 },
          { modality: 'AUDIO', tokenCount: 400 },
        ],
        cacheTokensDetails: [
          { modality: 'TEXT', tokenCount: 200 },
          { modality: 'AUDIO', tokenCount: 100 },
        ],
      },
    },
    prompt: 1000,
    completion: 20,
    sum: '400 × 0.3 + 200 × 0.03 + 300 × 1 + 100 × 0.1 + 20 × 2.5',
    cost: '0.000486',
  },
  {
    from: 'Gemini: an image that the model drew',
    model: 'gemini-2.5-flash-image',
    provider: 'google_genai',
    outputs: {
      usageMetadata: {
        promptTokenCount: 10,
        candidatesTokenCount: 1290,
        totalTokenCount: 1300,
        candidatesTokensDetails: [{ modality: 'IMAGE', tokenCount: 1290 }],
      },
    },
    prompt: 10,
    completion: 1290,
    sum: '10 × 0.3 + 1290 × 30',
    cost: '0.038703',
  },
  {
    from: 'Vertex: priority',
    model: 'gemini-2.5-flash',
    provider: 'google_vertexai',
    outputs: {
      usageMetadata: {
        promptTokenCount: 500,
        candidatesTokenCount: 100,
        totalTokenCount: 600,
        trafficType: 'ON_DEMAND_PRIORITY',
      },
    },
    prompt: 500,
    completion: 100,
    sum: '500 × 0.54 + 100 × 4.5',
    cost: '0.00072',
  },
  {
    from: 'Vertex: embeddings of two texts',
    model: 'gemini-embedding-001',
    provider: 'google_vertexai',
    runType: 'embedding',
    outputs: {
      predictions: [
        { embeddings: { values: [0.1], statistics: { truncated: false, token_count: 6 } } },
        { embeddings: { values: [0.2], statistics: { truncated: false, token_count: 7 } } },
      ],
    },
    prompt: 13,
    completion: null,
    sum: '13 × 0.15',
    cost: '0.00000195',
  },
  {
    from: 'Bedrock Converse: a cache beside the input',
    model: 'anthropic.claude-sonnet-4-5-20250929-v1:0',
    provider: 'amazon_bedrock',
    outputs: {
      stopReason: 'end_turn',
      usage: {
        inputTokens: 500,
        outputTokens: 100,
        totalTokens: 1000,
        cacheReadInputTokens: 400,
        cacheWriteInputTokens: 0,
      },
    },
    prompt: 900,
    completion: 100,
    sum: '500 × 3 + 400 × 0.3 + 100 × 15',
    cost: '0.00312',
  },
  {
    from: 'Bedrock InvokeModel: Nova',
    model: 'amazon.nova-lite-v1:0',
    provider: 'amazon_bedrock',
    outputs: {
      stopReason: 'end_turn',
      usage: {
        inputTokens: 25,
        outputTokens: 120,
        totalTokens: 145,
        cacheReadInputTokenCount: 0,
        cacheWriteInputTokenCount: 0,
      },
    },
    prompt: 25,
    completion: 120,
    sum: '25 × 0.06 + 120 × 0.24',
    cost: '0.0000303',
  },
  {
    from: 'Bedrock InvokeModel: Llama',
    model: 'meta.llama3-3-70b-instruct-v1:0',
    provider: 'amazon_bedrock',
    outputs: { generation: 'Hello', prompt_token_count: 31, generation_token_count: 85, stop_reason: 'stop' },
    prompt: 31,
    completion: 85,
    sum: '31 × 0.72 + 85 × 0.72',
    cost: '0.00008352',
  },
  {
    from: 'Bedrock InvokeModel: embeddings of Titan',
    model: 'amazon.titan-embed-text-v2:0',
    provider: 'amazon_bedrock',
    runType: 'embedding',
    outputs: { embedding: [0.1], inputTextTokenCount: 6 },
    prompt: 6,
    completion: null,
    sum: '6 × 0.02',
    cost: '0.00000012',
  },
  {
    from: 'Bedrock InvokeModel: headers, as boto3 returns them',
    model: 'anthropic.claude-3-5-haiku-20241022-v1:0',
    provider: 'amazon_bedrock',
    outputs: {
      ResponseMetadata: {
        HTTPStatusCode: 200,
        HTTPHeaders: { 'x-amzn-bedrock-input-token-count': '20', 'x-amzn-bedrock-output-token-count': '50' },
      },
    },
    prompt: 20,
    completion: 50,
    sum: '20 × 0.8 + 50 × 4',
    cost: '0.000216',
  },
  {
    from: 'Bedrock: the last chunk of a stream',
    model: 'anthropic.claude-sonnet-4-5-20250929-v1:0',
    provider: 'amazon_bedrock',
    outputs: {
      type: 'message_stop',
      'amazon-bedrock-invocationMetrics': {
        inputTokenCount: 12,
        outputTokenCount: 34,
        invocationLatency: 900,
        firstByteLatency: 300,
        cacheReadInputTokenCount: 1000,
        cacheWriteInputTokenCount: 0,
      },
    },
    prompt: 1012,
    completion: 34,
    sum: '12 × 3 + 1000 × 0.3 + 34 × 15',
    cost: '0.000846',
  },
  {
    from: 'DeepSeek',
    model: 'deepseek-chat',
    provider: 'deepseek',
    outputs: {
      usage: {
        prompt_tokens: 100,
        completion_tokens: 20,
        total_tokens: 120,
        prompt_tokens_details: { cached_tokens: 64 },
        prompt_cache_hit_tokens: 64,
        prompt_cache_miss_tokens: 36,
      },
    },
    prompt: 100,
    completion: 20,
    sum: '36 × 0.28 + 64 × 0.028 + 20 × 0.42',
    cost: '0.000020272',
  },
  {
    from: 'xAI: reasoning beside the completion; its ticks are the same sum',
    model: 'grok-4.3',
    provider: 'xai',
    outputs: {
      usage: {
        prompt_tokens: 32,
        completion_tokens: 9,
        total_tokens: 135,
        prompt_tokens_details: { text_tokens: 32, audio_tokens: 0, image_tokens: 0, cached_tokens: 8 },
        completion_tokens_details: { reasoning_tokens: 94, audio_tokens: 0 },
        num_sources_used: 0,
        cost_in_usd_ticks: 2_891_000,
      },
    },
    prompt: 32,
    completion: 103,
    sum: '24 × 1.25 + 8 × 0.2 + 103 × 2.5',
    cost: '0.0002891',
  },
  {
    from: 'Mistral: a cached prompt',
    model: 'mistral-large-latest',
    provider: 'mistralai',
    outputs: {
      usage: {
        prompt_tokens: 1016,
        completion_tokens: 34,
        total_tokens: 1050,
        num_cached_tokens: 512,
        prompt_token_details: { cached_tokens: 512 },
        prompt_audio_seconds: null,
      },
    },
    prompt: 1016,
    completion: 34,
    sum: '504 × 0.5 + 512 × 0.05 + 34 × 1.5',
    cost: '0.0003286',
  },
  {
    from: 'Groq: flex costs what all others cost',
    model: 'openai/gpt-oss-120b',
    provider: 'groq',
    outputs: {
      service_tier: 'flex',
      usage: {
        queue_time: 0.026,
        prompt_tokens: 4641,
        prompt_time: 0.009,
        completion_tokens: 1817,
        completion_time: 5.57,
        total_tokens: 6458,
        total_time: 5.58,
        prompt_tokens_details: { cached_tokens: 4608 },
      },
    },
    prompt: 4641,
    completion: 1817,
    sum: '33 × 0.15 + 4608 × 0.075 + 1817 × 0.6',
    cost: '0.00144075',
  },
  {
    from: 'Groq: the last chunk of a stream',
    model: 'openai/gpt-oss-120b',
    provider: 'groq',
    outputs: {
      object: 'chat.completion.chunk',
      x_groq: { id: 'req_1', usage: { prompt_tokens: 18, completion_tokens: 9, total_tokens: 27 } },
    },
    prompt: 18,
    completion: 9,
    sum: '18 × 0.15 + 9 × 0.6',
    cost: '0.0000081',
  },
  {
    from: 'Moonshot: the last chunk of a stream',
    model: 'kimi-latest',
    provider: 'moonshot',
    outputs: {
      choices: [
        {
          index: 0,
          finish_reason: 'stop',
          usage: { prompt_tokens: 1100, completion_tokens: 13, total_tokens: 1113, cached_tokens: 1024 },
        },
      ],
    },
    prompt: 1100,
    completion: 13,
    sum: '76 × 3 + 1024 × 0.3 + 13 × 15',
    cost: '0.0007302',
  },
  {
    from: 'Together',
    model: 'openai/gpt-oss-120b',
    provider: 'together',
    outputs: { usage: { prompt_tokens: 72, completion_tokens: 140, total_tokens: 212, cached_tokens: 0 } },
    prompt: 72,
    completion: 140,
    sum: '72 × 0.15 + 140 × 0.6',
    cost: '0.0000948',
  },
  {
    from: 'Fireworks',
    model: 'accounts/fireworks/models/kimi-k2-thinking',
    provider: 'fireworks',
    outputs: { usage: { prompt_tokens: 100, completion_tokens: 200, total_tokens: 300, prompt_tokens_details: null } },
    prompt: 100,
    completion: 200,
    sum: '100 × 0.6 + 200 × 2.5',
    cost: '0.00056',
  },
  {
    from: 'OpenRouter: a cache that is read and written, and its own sum',
    model: 'anthropic/claude-sonnet-4.5',
    provider: 'openrouter',
    outputs: {
      provider: 'Anthropic',
      usage: {
        prompt_tokens: 1000,
        completion_tokens: 50,
        total_tokens: 1050,
        cost: 0.003435,
        is_byok: false,
        prompt_tokens_details: { cached_tokens: 200, cache_write_tokens: 300, audio_tokens: 0, video_tokens: 0 },
        cost_details: { upstream_inference_cost: null, upstream_inference_prompt_cost: 0.002685 },
        completion_tokens_details: { reasoning_tokens: 10, image_tokens: 0 },
      },
    },
    prompt: 1000,
    completion: 50,
    sum: '500 × 3 + 200 × 0.3 + 300 × 3.75 + 50 × 15',
    cost: '0.003435',
  },
  {
    from: 'OpenRouter: its fee and the cost of the provider, with a key of one’s own',
    model: 'acme/private-1',
    provider: 'openrouter',
    outputs: {
      usage: {
        prompt_tokens: 194,
        completion_tokens: 2,
        total_tokens: 196,
        cost: 0.00005,
        is_byok: true,
        cost_details: { upstream_inference_cost: 0.001 },
      },
    },
    prompt: 194,
    completion: 2,
    cost: '0.00105',
  },
  {
    from: 'Cohere 2: billed are fewer tokens than were read',
    model: 'command-a-03-2025',
    provider: 'cohere',
    outputs: {
      finish_reason: 'COMPLETE',
      usage: {
        billed_units: { input_tokens: 5, output_tokens: 418 },
        tokens: { input_tokens: 71, output_tokens: 418 },
        cached_tokens: 64,
      },
    },
    prompt: 5,
    completion: 418,
    sum: '5 × 2.5 + 418 × 10',
    cost: '0.0041925',
  },
  {
    from: 'Cohere 1',
    model: 'command-r-08-2024',
    provider: 'cohere',
    outputs: {
      text: 'Hello',
      meta: {
        api_version: { version: '1' },
        billed_units: { input_tokens: 17, output_tokens: 12 },
        tokens: { input_tokens: 215, output_tokens: 12 },
      },
    },
    prompt: 17,
    completion: 12,
    sum: '17 × 0.15 + 12 × 0.6',
    cost: '0.00000975',
  },
  {
    from: 'Cohere: embeddings',
    model: 'embed-v4.0',
    provider: 'cohere',
    runType: 'embedding',
    outputs: {
      embeddings: { float: [[0.1]] },
      meta: { api_version: { version: '2' }, billed_units: { input_tokens: 3 } },
    },
    prompt: 3,
    completion: null,
    sum: '3 × 0.12',
    cost: '0.00000036',
  },
  {
    from: 'Cohere: rerank is billed by searches',
    model: 'rerank-v3.5',
    provider: 'cohere',
    outputs: { results: [{ index: 0, relevance_score: 0.9 }], meta: { billed_units: { search_units: 1 } } },
    prompt: null,
    completion: null,
    cost: null,
  },
  {
    from: 'Voyage: embeddings with a total only',
    model: 'voyage-3.5',
    provider: 'voyageai',
    runType: 'embedding',
    outputs: { object: 'list', model: 'voyage-3.5', usage: { total_tokens: 10 } },
    prompt: 10,
    completion: null,
    sum: '10 × 0.06',
    cost: '0.0000006',
  },
  {
    from: 'Perplexity: what it reports, with the fee of its request',
    model: 'sonar-pro',
    provider: 'perplexity',
    outputs: {
      usage: {
        prompt_tokens: 18,
        completion_tokens: 170,
        total_tokens: 188,
        search_context_size: 'low',
        cost: { input_tokens_cost: 0.000054, output_tokens_cost: 0.00255, request_cost: 0.006, total_cost: 0.008604 },
      },
    },
    prompt: 18,
    completion: 170,
    // 18 × 3 + 170 × 15 is 0.002604; a request costs 0.006.
    cost: '0.008604',
  },
  {
    from: 'Perplexity: the total that it reports, for a model without a price',
    model: 'sonar-of-tomorrow',
    provider: 'perplexity',
    outputs: {
      usage: {
        input_tokens: 18,
        output_tokens: 170,
        total_tokens: 188,
        cost: {
          currency: 'USD',
          input_cost: 0.000054,
          output_cost: 0.00255,
          tool_calls_cost: 0.006,
          total_cost: 0.008604,
        },
      },
    },
    prompt: 18,
    completion: 170,
    cost: '0.008604',
  },
  {
    from: 'Databricks',
    model: 'databricks-claude-sonnet-4',
    provider: 'databricks',
    outputs: { usage: { prompt_tokens: 100, completion_tokens: 50, total_tokens: 150 } },
    prompt: 100,
    completion: 50,
    sum: '100 × 2.99999 + 50 × 15.00002',
    cost: '0.00105',
  },
  {
    from: 'LiteLLM: the cache twice, under the names of OpenAI and of Anthropic',
    model: 'claude-sonnet-4-5',
    provider: 'anthropic',
    outputs: {
      usage: {
        prompt_tokens: 9800,
        completion_tokens: 50,
        total_tokens: 9850,
        prompt_tokens_details: { cached_tokens: 6600, cache_creation_tokens: 3100 },
        cache_read_input_tokens: 6600,
        cache_creation_input_tokens: 3100,
      },
    },
    prompt: 9800,
    completion: 50,
    sum: '100 × 3 + 6600 × 0.3 + 3100 × 3.75 + 50 × 15',
    cost: '0.014655',
  },
  {
    from: 'watsonx: text generation',
    model: 'openai/gpt-oss-120b',
    provider: 'watsonx',
    outputs: {
      model_id: 'openai/gpt-oss-120b',
      results: [{ generated_text: 'Hello', generated_token_count: 10, input_token_count: 7, stop_reason: 'eos_token' }],
    },
    prompt: 7,
    completion: 10,
    sum: '7 × 0.159 + 10 × 0.636',
    cost: '0.000007473',
  },
  {
    from: 'Model Studio: its own API',
    model: 'qwen-plus',
    provider: 'dashscope',
    outputs: { output: { text: 'Hello' }, usage: { input_tokens: 22, output_tokens: 17, total_tokens: 39 } },
    prompt: 22,
    completion: 17,
    sum: '22 × 0.4 + 17 × 1.2',
    cost: '0.0000292',
  },
  {
    from: 'Ollama: chat',
    model: 'llama3.2',
    provider: 'ollama',
    outputs: {
      message: { role: 'assistant', content: 'Hello' },
      done: true,
      total_duration: 4883583458,
      prompt_eval_count: 26,
      prompt_eval_duration: 342546000,
      eval_count: 282,
      eval_duration: 4535599000,
    },
    prompt: 26,
    completion: 282,
    cost: null,
  },
  {
    from: 'Ollama: the cached prompt has no number',
    model: 'llama3.2',
    provider: 'ollama',
    outputs: { response: 'Hello', done: true, eval_count: 282 },
    prompt: null,
    completion: 282,
    cost: null,
  },
  {
    from: 'llama.cpp: completion',
    model: 'qwen3',
    provider: 'llamacpp',
    outputs: {
      content: 'Hello',
      tokens_predicted: 12,
      tokens_evaluated: 40,
      tokens_cached: 51,
      timings: { cache_n: 30, prompt_n: 10, predicted_n: 12 },
    },
    prompt: 40,
    completion: 12,
    cost: null,
  },
  {
    from: 'llama.cpp: the last chunk of a stream',
    model: 'qwen3',
    provider: 'llamacpp',
    outputs: { choices: [], timings: { cache_n: 236, prompt_n: 1, predicted_n: 35, predicted_per_token_ms: 18.8 } },
    prompt: 237,
    completion: 35,
    cost: null,
  },
  {
    from: 'vLLM',
    model: 'Qwen/Qwen3-8B',
    provider: 'hosted_vllm',
    outputs: {
      usage: { prompt_tokens: 5, total_tokens: 12, completion_tokens: 7, prompt_tokens_details: null },
      kv_transfer_params: null,
    },
    prompt: 5,
    completion: 7,
    cost: null,
  },
  {
    from: 'Text Generation Inference',
    model: 'tgi',
    provider: 'huggingface',
    outputs: {
      generated_text: 'Hello',
      details: { finish_reason: 'length', generated_tokens: 20, input_length: 9, seed: null },
    },
    prompt: 9,
    completion: 20,
    cost: null,
  },
]

let app: StartedApp
const ids = new Map(RESPONSES.map((response) => [response, uuid7()]))

/** Stores the responses as the outputs of runs, as the clients of LangSmith send them. */
beforeAll(async () => {
  app = await startApp()
  const post = [...ids].map(([{ model, provider, runType = 'llm', outputs }, id]) => ({
    id,
    trace_id: id,
    name: 'call',
    run_type: runType,
    start_time: new Date().toISOString(),
    session_name: 'providers',
    extra: { metadata: { ls_model_name: model, ls_provider: provider } },
    inputs: {},
    outputs,
  }))
  await app.call(contract.runs.batch, { body: { post } })
})
afterAll(() => app.close())

async function read(response: Response): Promise<Run> {
  return (await app.call(contract.runs.read, { params: { run_id: ids.get(response) ?? '' } })).body
}

/** In trillionths of a dollar, so that nothing is rounded. */
function addUp(sum: string): number {
  const products = sum.split(' + ').map((product) => product.split(' × ').map(Number))
  return products.reduce((total, [tokens = 0, perMillion = 0]) => total + Math.round(tokens * perMillion * 1e6), 0)
}

describe('tokens and costs are those of the provider', () => {
  // What is unknown is 0 in a run that is read, as the clients expect.
  it.each(RESPONSES)('$from', async (response) => {
    const { prompt, completion, cost } = response
    expect(await read(response)).toMatchObject({
      prompt_tokens: prompt ?? 0,
      completion_tokens: completion ?? 0,
      total_tokens: (prompt ?? 0) + (completion ?? 0),
      total_cost: cost,
    })
  })

  it.each(RESPONSES.filter(({ sum }) => sum !== undefined))('the sum by hand is right: $from', ({ sum, cost }) => {
    expect(addUp(sum ?? '')).toBe(Math.round(Number(cost) * 1e12))
  })
})
