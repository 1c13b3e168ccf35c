import JSONValue

@testable import JSONWebTokens

/// Tokens with a fault in their form, header or signature. Their signatures were made with another library.
let refusedForTheirHeader: [Refusal] = [
    Refusal(
        "alg none", .algorithm("none"),
        header: #"{"alg":"none"}"#,
        signature: ""),
    Refusal(
        "alg none with a signature", .algorithm("none"),
        header: #"{"alg":"none","kid":"ed"}"#,
        signature: "WNJ3WiUnM_sdUbcq2Qf7zZ9mCanxI_lqQf_t_58F8wJmdEpsGX_eyMV7RklU3-YP8NvqIKKdzgsNYis7yxbrAA"),
    Refusal(
        "alg None", .algorithm("None"),
        header: #"{"alg":"None","kid":"ed"}"#,
        signature: "mvD_8SIlTWRHHhKKbIpWNitbrOkaAa0y9Aqh0aSyc9hnEM8YcYcZzYuZfwuLNHLp3-dNLC8VgPV-uigvu7ShAg"),
    Refusal(
        "HS256 with the public key as secret", .algorithm("HS256"),
        header: #"{"alg":"HS256","kid":"rsa"}"#,
        signature: "exQ9oHvhVnnG-1vg-zdAW0S9SdeqRub4JVqIfagggQY"),
    Refusal(
        "HS256 without kid", .algorithm("HS256"),
        header: #"{"alg":"HS256"}"#,
        signature: "zxmALO2tKsyY0Y1-luYGlv7yQyPoEZPwTZTuASn8gPo"),
    Refusal(
        "alg in lower case", .algorithm("eddsa"),
        header: #"{"alg":"eddsa","kid":"ed"}"#,
        signature: "s7R5GP2Dp0Z2DmzxJTmWDwPnBNu1-5idr4kPTuCNZF0p4Mg7w9kyjFbdUtONMbrahgAaG0J9E016F4954hK4CQ"),
    Refusal(
        "ES512", .algorithm("ES512"),
        header: #"{"alg":"ES512","kid":"ed"}"#,
        signature: "i5K_ya3i14g-shjFaHTHwmkMq2-ubx-ac6sr0mK4yssKzqetzNXi4I4nTacWXFd0_sojPp_XFOb5K-USOPIPCg"),
    Refusal(
        "ES256K", .algorithm("ES256K"),
        header: #"{"alg":"ES256K","kid":"p256"}"#,
        signature: "MmhQpMKTvlvOhkdv9HlQluTbgSR_msjO5oly2ICH-JviCZ1iDoAF04DxyXYcMn7WTvvyVec5P3-ZY_jdKF6ADw"),
    Refusal(
        "no alg", .missing("alg"),
        header: #"{"kid":"ed"}"#,
        signature: "7d3cFIFK9D5Erg1nW65voGs5dDqxfBfzybhs2lsG5vofXey00XHMYDx2xA6CCxRB0qT-dr1nGxhjlxzsZqHgAQ"),
    Refusal(
        "alg is a number", .badMember("alg"),
        header: #"{"alg":1,"kid":"ed"}"#,
        signature: "W4oeg9vSs0GQEFyxnBrKqRQgomNzihBZ8P9pS24BpBavDJwGd8ZRMNQoEXx1i1bRHkNMDwAB1FrA8AWXKMBCCQ"),
    Refusal(
        "unknown kid", .unknownKey("other"),
        header: #"{"alg":"EdDSA","kid":"other"}"#,
        signature: "WG288gdqquOnHDw5nwOkogRP9FhAXKwqNyylIt5YkOakr5ReqSAs5SC6f1MiRkeH8kpuVTJOvWdcxexvjYufBg"),
    Refusal(
        "kid is a number", .badMember("kid"),
        header: #"{"alg":"EdDSA","kid":1}"#,
        signature: "MD_ejoe53Y89Hr0Tx4QGa6CXMfucKT5a8JVYpA5A58DKLEuuEl3ufJNUjtr02xgN-iHamxi6Jrlg9RPeaHQ8Dg"),
    Refusal(
        "kid of a key of another type", .noFittingKey,
        header: #"{"alg":"EdDSA","kid":"rsa"}"#,
        signature: "0Ompt_utjZaDQfjeQ265YMA_Xg-wuHRs_NeSGPYumzxKfVhMZ8wrVkTsdCPU56iny2C52DizhYLMkL4OGpwBCg"),
    Refusal(
        "alg of another curve", .noFittingKey,
        header: #"{"alg":"ES256","kid":"p384"}"#,
        signature: "uB5o2ktDBLL7o1j_-SlSkm-dE0zCa7VylroU7PyBGKi5X5YR31BSQ8mhQVEkLOKeu8N74vzrhjPspn0xhoRxLQ"),
    Refusal(
        "RS256 signed as PS256", .signature,
        header: #"{"alg":"RS256","kid":"rsa"}"#,
        signature: """
            e2edE3hKyU3sWiT8HBSWYKfOl9V30QA_TtodFGDJ0G4SXoY2g6Nd9Ttu0SCBGEbY9ZjeY9bf_gFFw9PNMzNURK27nVYs\
            WFkDz3tTJbLRVj2m_ui_E0uxjnqJzT5_YdgH6nxNxBnGwrGlzQHp1Q11mJIJ3Aoh3mgnmFTdek38MPlzgnAvmcnueIN-\
            apmtFlobz1ofJMetJJp8eZVAHeherETI1ocRvMUvY_eMFdG16HA4gcSGZPGbiCLllPVQANYdH5ut4atn0KxtDQue0R2e\
            leNfAAvAqqFwBZUVxNQyQtEXo_t4fCxts7prr4pBndOkbTT_e5cWuO71cSQoabu1rg
            """),
    Refusal(
        "PS256 signed as RS256", .signature,
        header: #"{"alg":"PS256","kid":"rsa"}"#,
        signature: """
            PbmEXZjhzu2A9bS2mAu1b-j6QcpNJPWTZ19lfDX6upGy_6Qi8TILwHUIK-d2huLslcVZ4wHQrJtmh0V3lx1JvmI4-4kG\
            L2jO2K7-XZSHR7qhvwRDDw1Ijslp82dd1P3XncQT6nY2S_DHgfo0lHCRrFIrTKg-RCYj9yWrfHXKIJHxile-XBgLwXbA\
            iEfobcAIOehVJ4M_OmjZvH3oUJkVOobx_zyWMOSI1JOTf1f2uFkIhio49r6xnDgaQL3k3U2DIr9hFDkHTWefv5y0g13d\
            fiPddAW3aNbx0YLjiQKrxxttScQyVGbxe1bcwEg40cGm97MjOOdt3x1ugjY0-Xx4Qw
            """),
    Refusal(
        "PS256 with an empty salt", .signature,
        header: #"{"alg":"PS256","kid":"rsa"}"#,
        signature: """
            dJ50tcYuy9V5D2bkP_HVh89rHYrRj-xS-3zKFa8tF8R-125BIlCtxHz45iHWcqSzWsoBBp6UDYSgv9H-ZR0oDyOdezQu\
            _-QYl2JLZ9ibS1b54KEDH8_HKnVFzd1H8S6TtEOGUKi-CVGCwB2eIDLjmAO6S5Bh4ElNxRQRxppD1ZZDejsinTB4vWN-\
            vGmKt450M_ojMrAsBC0eBnBrp0it1DlKptWR_FVpKuBCfmY4-bvpW0t_GrVH4KPadXe7yfRzcBlMFdZV1Y8iuhb_yc6t\
            osbI2sGGAJBmJ8C3Djxtu9rLJFHVgT3NNKlAsGJLV2aUcMHOxrVvbex_FtYnVSKp3Q
            """),
    Refusal(
        "RS256 signed with SHA-384", .signature,
        header: #"{"alg":"RS256","kid":"rsa"}"#,
        signature: """
            U2AfAdaIJuDLKWsUjfy8jeYzWZYN7rvE7pAGufKbvGtA9xl0sXtgz53Ak1IXAXhPNrIMFuJyOME1UgRLROU68oXpYdSf\
            ZhfL-S3fFG51rtT1nh56nPCsvUtKhvtCKBAy5dxraLAb2Smy7gQzqWnpkQD0UeDS8cO_BIgaagzD_T0H8NFVFQ-U5Gvl\
            lAbBy8I7amAgjPZMJ3k0E3vGDEMpwlbdi9E50Zc4N9HynmnfW7JxxM6LhmDBAL1bkn7_Lgt_HSq-1KVWaWHiMLJUr-IF\
            Va_GV_ywa2J1p5ps9i2t41lFp0Lt1QDf6QpXhp6tT5dx3DQ_sdeQntBUvgUKroIueQ
            """),
    Refusal(
        "ES256 in DER", .signature,
        header: #"{"alg":"ES256","kid":"p256"}"#,
        signature: """
            MEQCIFbck9BUaVA9p2zaFaygi6KsrKGumgcMea6Mabr4TR8VAiBEWNjQnPLJuL9cPiXRo6AeTezkIl13vhQSs2GZB2M8\
            xg
            """),
    Refusal(
        "ES256 of zeros", .signature,
        header: #"{"alg":"ES256","kid":"p256"}"#,
        signature: "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"),
    Refusal(
        "RS256 of zeros", .signature,
        header: #"{"alg":"RS256","kid":"rsa"}"#,
        signature: """
            AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
            AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
            AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA\
            AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA
            """),
    Refusal(
        "EdDSA of zeros", .signature,
        header: #"{"alg":"EdDSA","kid":"ed"}"#,
        signature: "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"),
    Refusal(
        "another key", .signature,
        header: #"{"alg":"EdDSA","kid":"ed"}"#,
        signature: "mrwO-iXNjkpYgQd7ju1pigehEmxXr0GkE_2514SgD6LWnOHGImqNkRCd4EbzwiBAMpVHL4yI_4NqfPJX_sMpDg"),
    Refusal(
        "crit", .critical,
        header: #"{"alg":"EdDSA","kid":"ed","crit":["exp"]}"#,
        signature: "Z7IVxNkbsBqbDaPSObuIp3TJkKtnzkNMdawAN6VreEg0RaXL1vaYN3Rq1q2_3p9t-v1F9qpTzdZFzvj9MauWAQ"),
    Refusal(
        "empty crit", .critical,
        header: #"{"alg":"EdDSA","kid":"ed","crit":[]}"#,
        signature: "VOsWUfwb39fR92sp6_gh2T3eJ-LuZTWrBAp8wEFXujaSB8vaGhSMHz_-Uom-aYyed8IeqDwepZT4dufKX9a-BA"),
    Refusal(
        "b64 with crit", .critical,
        header: #"{"alg":"EdDSA","kid":"ed","b64":false,"crit":["b64"]}"#,
        signature: "aFj8IDYO_ySg7A_fKOc-PnpnL9Amssz9wVRIVJllGUkdC95T-2UZOc5PWBFuG3crTXSqkgWWJx67m_dfuA8yCg"),
    Refusal(
        "typ of another thing", .type("dpop+jwt"),
        header: #"{"alg":"EdDSA","kid":"ed","typ":"dpop+jwt"}"#,
        signature: "JYYW3kdp4teEyUjjr35O5DSBEfrM9Em16OtSidOuHj0cUlK6pmt3dn-MUQVz1sRySGV7f-cimK6w9ua3i1yfCA"),
    Refusal(
        "key in the header", .unknownKey("own"),
        header: #"""
            {"alg":"EdDSA","jwk":{"kty":"OKP","crv":"Ed25519","x":"PZjM-mqwPzRqY32Kb5wDsJl0KpLLYP6ka5gt8\#
            YILVaA"},"kid":"own"}
            """#,
        signature: "Hut4RNQsw4JyYO4niRwm03YL5it__uTqlvZYbFo5SshGp0e2y0GITOsHYn_smCgVRRuOwjxxlobERllh63qKDw"),
    Refusal(
        "duplicate member of the header", .notJSON(.header, JSONError(reason: .duplicateKey("alg"), offset: 14)),
        header: #"{"alg":"none","alg":"EdDSA","kid":"ed"}"#,
        signature: "Pw0w5_6ggBIRnEEBCeJTVbEcS3As7YQNk9HYH94GR4NzKOqgjCwbukoQmbgiN3Ya-jFOh8PMo27Fgt7FyF-SCw"),
    Refusal(
        "duplicate claim", .notJSON(.claims, JSONError(reason: .duplicateKey("sub"), offset: 13)),
        header: #"{"alg":"EdDSA","kid":"ed"}"#,
        claims: #"{"sub":"ada","s\u0075b":"bob","iss":"https://a.example","aud":"lists","exp":2000}"#,
        signature: "_jTbu3oFkDeG8jWi6YC5R5tp5o7yFhWobVcXKtPaShUnvnOwUkgSP0gio0As040K9VTESgLWLpMyCPp_VaMTCg"),
    Refusal(
        "header is an array", .notAnObject(.header),
        header: #"["EdDSA"]"#,
        signature: "J8ykzgZ9WIgxi2Ok4gngauFkYcrh8rD42wxcprGlBtf4lH8rYuZbhVw9X8f8o69-a-oBxuUfqeuLp2KMOM-HCQ"),
    Refusal(
        "claims are a string", .notAnObject(.claims),
        header: #"{"alg":"EdDSA","kid":"ed"}"#,
        claims: #""ada""#,
        signature: "APzgco1Ra5fJDkA965F9qDnI8lW-dLhAGPpzPpGsWzIVWXMVPeBTGwqlG5NHCbfbwKyVuXVN0AekJl0FIARHCg"),
    Refusal(
        "claims are not JSON", .notJSON(.claims, JSONError(reason: .unexpectedEnd, offset: 6, expected: .colon)),
        header: #"{"alg":"EdDSA","kid":"ed"}"#,
        claims: #"{"sub""#,
        signature: "YhSRRs0SpuiswTsyDdIZIeeRFDl4_j2BJic1VBGd7jIZqByKfkmwES8zRl2njK7hrrTGDY8gyS5WR2_xF0F3Bw"),
]
