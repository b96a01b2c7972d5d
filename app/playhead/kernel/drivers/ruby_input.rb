# frozen_string_literal: true

module PlayheadKernel
  # Asks in the timeline for what code reads from its standard input.
  class Input
    PROMPT = 200

    def initialize(wire)
      @wire = wire
      @count = 0
    end

    def install
      Asking.input = Prompts.input = self
      ::Kernel.prepend(Questions)
      Object.prepend(Questions)
    end

    # Opening a stream anew takes off what it was extended with.
    def attach
      STDIN.extend(Asking)
      STDOUT.extend(Prompts)
    end

    # What has been printed last; the open line of it is what an answer is asked for with.
    attr_writer :printed

    # Asks, unless something is there to be read already.
    def ask(secret: false, prompt: nil)
      return if IO.select([STDIN], nil, nil, 0)

      @count += 1
      prompt ||= @printed.to_s.scrub[/[^\n]*\z/]
      @wire.mark("input", id: "#{@wire.run}-#{@count}", prompt: prompt[0, PROMPT], secret: secret)
      @printed = nil
    end

    # One line, byte by byte: what follows it may be for a child.
    def line
      bytes = +"".b
      while (byte = STDIN.sysread(1))
        bytes << byte
        break if byte == "\n"
      end
      bytes.force_encoding(Encoding::UTF_8)
    rescue EOFError
      bytes.empty? ? nil : bytes.force_encoding(Encoding::UTF_8)
    end
  end

  # `STDIN` that asks.
  module Asking
    class << self
      attr_accessor :input
    end

    def gets(*args, chomp: false)
      Asking.input.ask
      return super unless args.empty?

      line = Asking.input.line
      $_ = chomp ? line&.chomp : line
    end

    def readline(*args, **options)
      gets(*args, **options) || raise(EOFError, "end of file reached")
    end

    def each_line(*args, **options)
      return to_enum(:each_line, *args, **options) unless block_given?

      while (line = gets(*args, **options))
        yield line
      end
      self
    end
    alias each each_line

    def readlines(*args, **options)
      each_line(*args, **options).to_a
    end

    def read(*args)
      return each_line.to_a.join if args.empty? || args[0].nil?

      Asking.input.ask
      super
    end

    %i[getc getbyte readchar readbyte readpartial].each do |name|
      define_method(name) do |*args|
        Asking.input.ask
        super(*args)
      end
    end

    # Of io/console, which wants a terminal.
    def noecho
      Asking.input.ask(secret: true)
      yield self
    end

    def getpass(prompt = nil)
      Asking.input.ask(secret: true, prompt: prompt)
      Asking.input.line&.chomp
    end
  end

  # `gets` and its kin without a receiver; where programs have arguments they read files.
  module Questions
    def gets(*args, **options)
      ARGV.empty? && $stdin.equal?(STDIN) ? STDIN.gets(*args, **options) : super
    end

    def readline(*args, **options)
      ARGV.empty? && $stdin.equal?(STDIN) ? STDIN.readline(*args, **options) : super
    end

    def readlines(*args, **options)
      ARGV.empty? && $stdin.equal?(STDIN) ? STDIN.readlines(*args, **options) : super
    end
    private :gets, :readline, :readlines
  end

  # `STDOUT` that remembers what a question may follow.
  module Prompts
    class << self
      attr_accessor :input
    end

    def write(*texts)
      Prompts.input.printed = texts.last
      super
    end

    # A block may close it, but the next one prints too.
    def close; end
  end
end
